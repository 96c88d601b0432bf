import { type ServerMessage, serverMessage } from './messages';

/**
 * Reads what a server says. Unknown fields are ignored, codes a later server may add are kept.
 * @returns null for what is no message of this protocol: a later server may send more kinds. Never throws.
 */
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
