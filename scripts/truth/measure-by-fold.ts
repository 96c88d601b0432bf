import { createCallOwners } from '../../core/agents/agent-format';
import { type MeasuredSession, measureItems } from '../../core/agents/testing/measure-sessions';
import type { TranscriptSession } from '../../runner/src/transcripts/collect-sources';
import { readSession } from '../../runner/src/transcripts/testing/read-session';

/** The numbers of each session by parser and fold alone, without a server: shows which half is wrong. */
export async function measureByFold(
  sessions: readonly TranscriptSession[],
): Promise<Map<string, MeasuredSession>> {
  const owners = createCallOwners();
  const measured = new Map<string, MeasuredSession>();
  for (const session of sessions) {
    const { items } = await readSession(session, { owners, content: true });
    measured.set(session.session, measureItems(items));
  }
  return measured;
}
