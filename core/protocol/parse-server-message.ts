import { compileSchema, Fault } from './compile-schema';
import type { ServerMessage } from './messages';
import schema from './schema/server-message.schema.json' with { type: 'json' };

const read = compileSchema(schema);

/** Null: not a known message. A later server may send more types and fields. */
export function parseServerMessage(text: string): ServerMessage | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const message = read(value);
  return message instanceof Fault ? null : (message as ServerMessage);
}
