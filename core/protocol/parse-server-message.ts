import { type ServerMessage, serverMessage } from './messages';

/** Null: not a known message. A later server may send more types and fields. */
export function parseServerMessage(text: string): ServerMessage | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const parsed = serverMessage.safeParse(value);
  return parsed.success ? (parsed.data as ServerMessage) : null;
}
