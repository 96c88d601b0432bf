/** From the text of a frame or body to its messages, still untrusted, or to the error that answers it. */

import type { ProtocolLimits } from './limits';
import type { ErrorCode } from './messages';

export type ParsedFrame =
  | { ok: true; messages: unknown[] }
  | { ok: false; code: Extract<ErrorCode, 'bad_message' | 'too_large'>; reason: string };

/** @param text one message or a list of messages, as JSON. Never throws. */
export function parseFrame(text: string, limits: Pick<ProtocolLimits, 'maxItemsPerFrame'>): ParsedFrame {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, code: 'bad_message', reason: 'The frame is no JSON.' };
  }
  if (Array.isArray(value)) {
    // One more than the items: a body begins with its hello.
    if (value.length > limits.maxItemsPerFrame + 1) {
      const reason = `At most ${limits.maxItemsPerFrame} items may come in one frame; this one has ${value.length}.`;
      return { ok: false, code: 'too_large', reason };
    }
    return { ok: true, messages: value };
  }
  if (typeof value === 'object' && value !== null) return { ok: true, messages: [value] };
  return { ok: false, code: 'bad_message', reason: 'A frame is one message or a list of messages.' };
}
