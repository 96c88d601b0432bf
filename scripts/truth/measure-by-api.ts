import type { MeasuredSession } from '../../runner/src/adapters/measure/measured-session';
import type { TranscriptSession } from '../../runner/src/transcripts/collect-sources';
export interface GivenServer {
  url: string | undefined;
  token: string | undefined;
  readToken: string | undefined;
}
export async function measureByApi(
  _f: string,
  _s: readonly TranscriptSession[],
  _g: GivenServer,
): Promise<Map<string, MeasuredSession>> {
  throw new Error('not yet');
}
