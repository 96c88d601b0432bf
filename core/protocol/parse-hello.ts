import { type Hello, hello } from './messages';
import { isRecord } from './parse-item';
import { PROTOCOL_VERSION } from './version';

export type ParsedHello =
  | { ok: true; hello: Hello }
  | { ok: false; code: 'bad_message' | 'unsupported_version'; field: string; reason: string };

export function isHello(value: unknown): boolean {
  return isRecord(value) && value.type === 'hello';
}

/** Reads the first message of a connection. The version comes first: another one may have other fields. */
export function parseHello(value: unknown): ParsedHello {
  if (!isRecord(value) || value.type !== 'hello') {
    return { ok: false, code: 'bad_message', field: 'type', reason: 'The first message must be a hello.' };
  }
  if (typeof value.v === 'number' && value.v !== PROTOCOL_VERSION) {
    const reason = `This server speaks protocol version ${PROTOCOL_VERSION}; the hello says ${value.v}.`;
    return { ok: false, code: 'unsupported_version', field: 'v', reason };
  }
  const parsed = hello.safeParse(value);
  if (parsed.success) return { ok: true, hello: parsed.data };
  const issue = parsed.error.issues[0];
  const field = issue?.path.map(String).join('.') ?? '';
  return {
    ok: false,
    code: 'bad_message',
    field,
    reason: `The hello's ${field || 'shape'}: ${issue?.message}.`,
  };
}
