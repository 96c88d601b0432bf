import type { ItemType } from '../../../core/protocol/items';
import type { FieldsOf, HandOver, RunnerSession, SessionDestination } from './client-types';

/** A handle that fills in the session's key; it holds no state, so any number of them may exist. */
export function createRunnerSession(
  key: string,
  takeOver: (build: () => unknown) => HandOver,
  destination: () => SessionDestination,
): RunnerSession {
  const report =
    <T extends ItemType>(type: T) =>
    (fields?: FieldsOf<T>): HandOver =>
      takeOver(() => ({ ...fields, type, session: key }));
  return {
    key,
    destination,
    start: report('session_start'),
    turn: report('turn'),
    reading: report('reading'),
    restart: report('restart'),
    compaction: report('compaction'),
    clear: report('clear'),
    compress: report('compress'),
    alias: report('session_alias'),
    archive: report('archive'),
    gap: report('gap'),
    end: report('session_end'),
  };
}
