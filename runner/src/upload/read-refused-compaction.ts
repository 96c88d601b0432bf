/** Lines that show that a compaction which a hook announced does not come. */
import { asFields, type Fields, fieldsOf, textOf, timeOf } from '../adapters/claude-code/read-fields';
import { splitValues } from '../adapters/split-values';

/** One of them stands in every line that is worth reading for this. */
export const REFUSAL_MARK = Buffer.from('PreCompact hook');
export const ANSWER_MARK = Buffer.from('"assistant"');

const REFUSED = /blocked by (?:an? |the )?PreCompact hook/i;
const MAX_TEXT = 300;

/** What the client says where another hook refused the compaction; null for any other line, also for talk of one. */
export function readRefusedCompaction(line: string): string | null {
  for (const fields of mainLines(line)) {
    const said = clientText(fields);
    if (said !== null && REFUSED.test(said)) return said.replaceAll(/<\/?local-command-[a-z]+>/g, '').trim();
  }
  return null;
}

/** Whether the agent itself was answered after that time: milliseconds since the epoch. */
export function isAnswerAfter(line: string, time: number): boolean {
  return mainLines(line).some((fields) => {
    const message = fieldsOf(fields, 'message');
    const isAnswer = fields.type === 'assistant' && message?.model !== SYNTHETIC;
    return isAnswer && (timeOf(fields, 'timestamp') ?? 0) > time;
  });
}

const SYNTHETIC = '<synthetic>';

function mainLines(line: string): Fields[] {
  return splitValues(line)
    .values.map(asFields)
    .filter((fields): fields is Fields => fields !== undefined && fields.isSidechain !== true);
}

/** Text that the client wrote and neither person nor model did. */
function clientText(fields: Fields): string | null {
  if (fields.type === 'system') return textOf(fields, 'content', MAX_TEXT) ?? null;
  const message = fieldsOf(fields, 'message');
  if (message === undefined) return null;
  const text = textIn(message.content);
  if (fields.type === 'assistant') return message.model === SYNTHETIC ? text : null;
  return fields.type === 'user' && text?.startsWith('<local-command-') === true ? text : null;
}

function textIn(content: unknown): string | null {
  if (typeof content === 'string') return content.slice(0, MAX_TEXT);
  if (!Array.isArray(content)) return null;
  const texts = content.map((block) => textOf(asFields(block) ?? {}, 'text', MAX_TEXT) ?? '');
  return texts.join('\n').slice(0, MAX_TEXT);
}
