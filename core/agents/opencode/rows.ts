/**
 * Reads the rows of messages. OpenCode 1 stores a message and its parts; a row of OpenCode 2 has a type, and the parts are
 * its content. Rows of both versions become messages with parts.
 */
import { asFields, asList, asText, type Fields, toJson } from '../fields';

export interface MessageRow {
  id: unknown;
  message: Fields;
  /** With id and time, as far as the row states them. */
  parts: { id: unknown; at: unknown; part: Fields }[];
  /** Whether the client requested the summary itself, as SQLite's 0 or 1; null: unknown. */
  auto: unknown;
}

type TypedRow = Fields & { type: string; data: Fields };

/** Null: the row of the session. */
export function readRow(row: Fields): MessageRow | null {
  if (isTyped(row)) return readTyped(row);
  const message = asFields(row.message);
  if (message === null) return null;
  const parts = asList(row.parts).flatMap((each) => {
    const fields = asFields(each);
    return fields === null ? [] : [{ id: fields.id, at: fields.at, part: asFields(fields.part) ?? {} }];
  });
  return { id: row.id, message, parts, auto: row.auto };
}

/** Whether the line is a row of OpenCode 2. */
export function isTyped(row: Fields): row is TypedRow {
  return typeof row.type === 'string' && 'updated' in row && asFields(row.data) !== null;
}

function readTyped({ id, type, updated, data }: TypedRow): MessageRow {
  const { model, content, text, files, time, finish, error, tokens, status, reason } = data;
  const { id: modelID, providerID } = asFields(model) ?? {};
  const about = { modelID, providerID, time, error, tokens };
  const row = (message: Fields, parts: Fields[], auto: unknown = null): MessageRow => ({
    ...{ id, message, parts: parts.map((part) => ({ id: undefined, at: undefined, part })), auto },
  });
  const texts = typeof text === 'string' ? [{ type: 'text', text }] : [];
  const parts = asList(content)
    .map(asFields)
    .filter((each) => each !== null);
  switch (type) {
    case 'assistant':
      return row({ role: 'assistant', finish, ...about }, parts.map(toPart));
    case 'user':
      return row({ role: 'user', time }, [...texts, ...parts, ...asList(files).map(toFile)]);
    case 'synthetic':
    case 'system':
    case 'skill':
      return row(
        { role: 'user', time },
        texts.map((part) => ({ ...part, synthetic: true })),
      );
    case 'shell':
      return row({ role: 'assistant', time }, [toShell(data)]);
    case 'compaction': {
      // The row states only its start. The row changes last when the summary is complete.
      const ended = { created: asFields(time)?.created, completed: updated };
      const isDone = status === undefined || status === 'completed';
      const message = { ...about, role: 'assistant', summary: true, time: ended };
      return row(
        isDone ? { ...message, finish: 'stop' } : message,
        [{ type: 'text', text: data.summary }],
        reason === 'auto' ? 1 : reason === 'manual' ? 0 : null,
      );
    }
    default:
      return row({ role: type, time }, []);
  }
}

function toPart(part: Fields): Fields {
  if (part.type !== 'tool') return part;
  const { status, input, content, error } = asFields(part.state) ?? {};
  const output = asList(content).map((each) => asText(asFields(each)?.text) ?? toJson(each));
  const reason = asText(asFields(error)?.message) ?? asText(error);
  const state = { status, input, output: output.join('\n'), error: reason };
  return { type: 'tool', tool: part.name, callID: part.id, state };
}

/** A command of the user. */
function toShell({ shellID, callID, command, status, output }: Fields): Fields {
  const text = asText(output) ?? asText(asFields(output)?.output);
  const isRunning = status === 'running' || text === null;
  const state = { status: isRunning ? 'running' : 'completed', input: { command }, output: text };
  return { type: 'tool', tool: 'shell', callID: shellID ?? callID, state };
}

function toFile(file: unknown): Fields {
  const { name, uri } = asFields(file) ?? {};
  return { type: 'file', filename: name, url: uri };
}
