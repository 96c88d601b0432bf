/** Parses the text of a frame or body into messages, which are still untrusted, or into an error for the answer. */
import { cleanName } from './clean-name';
import { isRecord } from './compile-schema';
import type { ProtocolLimits } from './limits';
import { type ErrorCode, type Hello, hello } from './messages';

import { PROTOCOL_VERSION } from './version';

type ParsedFrame =
  | { ok: true; messages: unknown[] }
  | { ok: false; code: Extract<ErrorCode, 'bad_message' | 'too_large'>; reason: string };

/** @param text one message or a list of messages, as JSON. Never throws. */
export function parseFrame(text: string, limits: Pick<ProtocolLimits, 'maxItemsPerFrame'>): ParsedFrame {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, code: 'bad_message', reason: 'The frame is not JSON.' };
  }
  if (Array.isArray(value)) {
    // The maximum of items plus one, because a body starts with its hello.
    if (value.length > limits.maxItemsPerFrame + 1) {
      const reason = `At most ${limits.maxItemsPerFrame} items fit in one frame; this one has ${value.length}.`;
      return { ok: false, code: 'too_large', reason };
    }
    return { ok: true, messages: value };
  }
  if (typeof value === 'object' && value !== null) return { ok: true, messages: [value] };
  return { ok: false, code: 'bad_message', reason: 'A frame is one message or a list of messages.' };
}

type ParsedHello =
  | { ok: true; hello: Hello }
  | { ok: false; code: 'bad_message' | 'unsupported_version'; field: string; reason: string };

export function isHello(value: unknown): boolean {
  return isRecord(value) && value.type === 'hello';
}

/** Reads the first message of a connection. Checks the version first, because another version may have other fields. */
export function parseHello(value: unknown): ParsedHello {
  if (!isRecord(value) || value.type !== 'hello') {
    return { ok: false, code: 'bad_message', field: 'type', reason: 'The first message must be a hello.' };
  }
  if (typeof value.v === 'number' && value.v !== PROTOCOL_VERSION) {
    const reason = `This server speaks protocol version ${PROTOCOL_VERSION}; the hello has version ${value.v}.`;
    return { ok: false, code: 'unsupported_version', field: 'v', reason };
  }
  const parsed = hello.safeParse(value);
  if (parsed.success) {
    const { runner } = parsed.data;
    runner.name = cleanName(runner.name) ?? runner.name;
    return { ok: true, hello: parsed.data };
  }
  const issue = parsed.error.issues[0];
  const field = issue?.path.map(String).join('.') ?? '';
  return {
    ok: false,
    code: 'bad_message',
    field,
    reason: `The hello's ${field || 'shape'}: ${issue?.message}.`,
  };
}
