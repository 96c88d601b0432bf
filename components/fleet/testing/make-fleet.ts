/** A seeded fleet of any size, with everything that can stand in a row: for tests and for looking at. */
import type { RecentTrace, Session } from '@/core/api/session';
import { seededRandom } from '../../charts/seeded-random';
import { MADE_AT, madeId, makeBoundary, makeSession } from './make-session';

const TITLES = [
  'Replay refs when the remote rewinds',
  'Nightly triage of flaky tests',
  'Work on bead spotter-dov',
  'Explain and fix checkpoint rewind',
  'Line-level attribution, manual-commit',
  'Port localpush to launchd',
  'Review the changes in this branch',
  'Move agent progress into the sidebar',
  'Draft the migration guide',
  'Fold late turns from a checkpoint',
  'Rename the retention settings',
  'Untangle the import cycle in storage',
];
const PROJECTS = ['entireio/git-sync', 'acme/ci-agents', 'marot/spotter', 'entireio/cli', 'madshn/localpush'];
const MODELS = ['claude-opus-4-5-20251101', 'claude-sonnet-4-5', 'gpt-5.4', 'claude-opus-4-6'];
const HOSTS = ['build-11', 'runner-07', 'spot-worktrees', 'soph-mbp', 'mads-air'];

/** @param now right end of the traces, milliseconds */
export function makeFleet(count: number, now = MADE_AT, seed = 'fleet'): Session[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, index) => makeMember(index, now, random));
}

function makeMember(index: number, now: number, random: () => number): Session {
  const pick = <T>(list: readonly [T, ...T[]] | readonly T[]): T =>
    list[Math.floor(random() * list.length)] as T;
  const limit = random() < 0.2 ? 258_000 : 200_000;
  const special = index % 41;
  const share = index === 0 ? 1.03 : index < 3 ? 0.88 : index < 5 ? 0.76 : 0.25 + random() * 0.48;
  const used = Math.round(share * limit);
  const perMinute = 900 + random() * 5_000;
  const boundaryAt = index === 0 ? limit : index === 2 ? Math.round(limit * 0.9) : limit - 24_000;
  const passed = used >= boundaryAt;
  const idle = special > 4 && special % 8 === 7;
  const at = (ageMs: number) => new Date(now - ageMs).toISOString();
  const compactions = Math.floor(random() * 3);
  const base: Partial<Session> = {
    id: madeId(index + 1),
    title: index === 0 ? 'Nightly dependency sweep' : pick(TITLES),
    project: pick(PROJECTS),
    model: pick(MODELS),
    host: pick(HOSTS),
    runner: pick(HOSTS),
    used,
    limit,
    compactions,
    contextCount: compactions + 1,
    tokensPerMinute: perMinute,
    tokensPerTurn: 800 + random() * 2_500,
    trace: makeTrace(used, perMinute, idle ? now - 25 * 60_000 : now, compactions, random),
    lastTurnAt: at(idle ? 25 * 60_000 + random() * 3e7 : random() * 90_000),
    lastEvent: {
      kind: compactions > 0 ? 'compaction' : 'session_started',
      at: at(random() * 3e6),
      label: compactions > 0 ? 'compacted' : 'started',
    },
    liveness: idle ? 'idle' : 'live',
    nextBoundary: makeBoundary((boundaryAt - used) / perMinute, {
      at: boundaryAt,
      left: Math.max(0, boundaryAt - used),
      passed,
      kind: index === 0 ? 'limit' : index === 2 ? 'restart' : 'compaction',
      turns: Math.max(1, (boundaryAt - used) / 1_900),
    }),
  };
  if (passed) {
    Object.assign(base, {
      nextBoundary: makeBoundary(null, { kind: 'limit', at: limit, left: 0, passed: true }),
      lastEvent: { kind: 'redlined', at: at(6 * 60_000), label: 'over limit' },
      restartLine: null,
    });
  }
  return makeSession(index + 1, { ...base, ...oddity(special, used) });
}

/** What is not a plain reading: one of each in every 41 sessions. */
function oddity(special: number, used: number): Partial<Session> {
  switch (special) {
    case 9:
      return { state: 'unknown', pressure: null, used: null, lastKnownUsed: used, nextBoundary: null };
    case 10:
      return { state: 'untracked', pressure: 0, used: null, nextBoundary: null };
    case 11:
      return { limitSource: 'assumed', lens: 'cumulative' };
    case 12:
      return { estimated: true };
    case 13:
      return { complete: false };
    default:
      return {};
  }
}

/** Steps that climb to `used`, with a fall per compaction. */
function makeTrace(
  used: number,
  perMinute: number,
  now: number,
  falls: number,
  random: () => number,
): RecentTrace {
  const points: RecentTrace = [];
  const fallAt = falls > 0 ? 10 + random() * 30 : Number.POSITIVE_INFINITY;
  let level = used;
  for (let minute = 0; minute < 58; minute += 0.4 + random() * 1.8) {
    const beforeFall = minute > fallAt;
    if (beforeFall && level < 140_000) level = 166_000;
    points.unshift([Math.round(now / 1000 - minute * 60), Math.round(level), 0]);
    level -= perMinute * (0.2 + random());
    if (level < 12_000 && !beforeFall) break;
    if (level < 12_000) level = 12_000;
  }
  const firstAfter = points.find(([seconds]) => seconds * 1000 > now - fallAt * 60_000);
  if (falls > 0 && firstAfter && firstAfter !== points[0]) firstAfter[2] = 1;
  return points.slice(-60);
}
