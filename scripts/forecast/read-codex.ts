import { readFile } from 'node:fs/promises';
import type { TranscriptItem } from '../../core/agents/agent-format';
import { codex } from '../../core/agents/codex';
import { asFields } from '../../core/agents/fields';
import { fieldsOn } from '../../core/agents/lines';

/** A fork repeats the lines of its parent within this time of its first line. */
const REPLAY_MS = 1_000;

/** Calls and compactions of a Codex rollout, which import does not read yet. */
export async function readCodex(path: string, session: string): Promise<TranscriptItem[]> {
  const text = await readFile(path, 'utf8');
  const lines = text.split('\n').flatMap(fieldsOn);
  const items: TranscriptItem[] = [];
  const isFork = typeof asFields(lines[0]?.payload)?.forked_from_id === 'string';
  let firstAt: number | null = null;
  let limit: number | null = null;
  let callBefore: string | null = null;
  for (const line of lines) {
    const { at: seconds, call, window, kind } = codex.readEntry(line);
    const at = (seconds ?? 0) * 1_000;
    if (firstAt === null) {
      items.push({ type: 'session_start', session, at, lens: 'snapshot', client: codex.name });
      firstAt = at;
    }
    if (isFork && at - firstAt <= REPLAY_MS) continue;
    limit = window ?? limit;
    if (kind === 'compaction') {
      const boundary = `${session}#${items.length}`;
      items.push({ type: 'compaction', session, at, trigger: 'auto', state: 'confirmed', boundary });
    }
    if (call === null || call.source !== 'totals' || call.id === callBefore) continue;
    callBefore = call.id;
    const { contextTokens, ...usage } = call.counts;
    const stated = limit === null ? {} : { limit };
    items.push({ type: 'turn', session, at, usage, contextTokens, basis: 'total', ...stated });
  }
  return items;
}
