/** Phrases that several explanations share. */
import type { Evidence } from '../api/evidence';
import type { Session } from '../api/session';
import {
  atTime,
  count,
  counted,
  type Explanation,
  type Phrase,
  type Source,
  say,
  tokens,
} from './explanation';

type Place = Evidence['newestTurn'];

/** Certainty of a number that depends on the tokens in use. */
export function certaintyOf({ used, complete, estimated }: Session): Explanation['certainty'] {
  if (used === null) return 'not known';
  if (!complete) return 'at least';
  return estimated ? 'estimate' : 'exact';
}

export function certaintyCaveats(session: Session): Phrase[] {
  return [
    ...(session.complete
      ? []
      : [say`Turns of this context were lost or refused, so this is a lower bound until the next boundary.`]),
    ...(session.estimated
      ? [say`The last reading is an estimate, characters ÷ 4. A real reading replaces it.`]
      : []),
  ];
}

/** `turn 275, 17:51`. */
export function turnPhrase(place: Place): Phrase {
  return place === null
    ? say`a turn that is not named`
    : say`turn ${count(place.number)}, ${atTime(place.at)}`;
}

/** Why the tokens in use are unknown. */
export function unknownPhrase({ context, session }: Evidence): Phrase {
  const since =
    context.startedBy === null || context.startedAt === null
      ? say`No reading of the context’s size yet.`
      : say`The ${context.startedBy} at ${atTime(context.startedAt)} started a new context without a reading so far.`;
  if (session.lastKnownUsed === null) return since;
  return say`${since} The last known value was ${tokens(session.lastKnownUsed)} tokens; it is not carried over.`;
}

const UNTRACKED = say`A main turn of this context had no usage, so its sum is unknown. The API returns 0, this page shows “not tracked”. Tracking resumes after the next boundary.`;

export function untrackedPhrase(): Phrase {
  return UNTRACKED;
}

export function lensSource({ lens }: Session): Source {
  return {
    name: 'lens',
    from:
      lens === 'snapshot'
        ? say`snapshot: the last reading of the context’s size`
        : say`cumulative: the sum of input and output of this context’s turns`,
  };
}

export function usedSource({ session, context, reading }: Evidence): Source {
  if (session.lens === 'snapshot') {
    return {
      name: 'used',
      from: reading === null ? say`no reading` : say`${READING[reading.basis]}, ${turnPhrase(reading.turn)}`,
    };
  }
  const { index, mainTurns } = context;
  return { name: 'used', from: say`${counted(mainTurns, 'turn')} of context ${count(index)}` };
}

const READING: Record<NonNullable<Evidence['reading']>['basis'], string> = {
  total: 'reading with the output',
  input: 'reading of the input side alone',
  estimate: 'estimate',
};

export function limitSourceOf({ limit, newestTurn }: Evidence): Source {
  return { name: 'limit', from: limitPhrase(limit, newestTurn) };
}

/** The source of the limit, in full. */
export function limitPhrase({ source, model, table }: Evidence['limit'], newest: Place): Phrase {
  const ofModel = model === null ? '' : ` for ${model}`;
  switch (source) {
    case 'turn':
      return say`stated with ${turnPhrase(newest)}`;
    case 'client':
      return say`stated by the client${ofModel}`;
    case 'session':
      return say`declared for this session by its runner`;
    case 'table':
      return table === null
        ? say`the table of models`
        : say`the table of models (${table.models}), from ${table.source}, read ${table.date}`;
    case 'learned':
      return say`learned: a reading or an automatic compaction lay above what was believed`;
    case 'assumed':
      return say`assumed, because none was stated`;
    case 'none':
      return say`not stated, and the model is in no table`;
  }
}

/** The next boundary and the source of its place. */
export function boundaryPhrase(e: Pick<Evidence, 'session' | 'compaction' | 'restartLineBy'>): Phrase {
  const next = e.session.nextBoundary;
  if (next === null) return say`none known`;
  switch (next.source) {
    case 'client':
      return say`the client compacts at ${tokens(next.at)}, as it states itself`;
    case 'learned':
      return say`the client compacts at ${tokens(next.at)}, the lowest of ${counted(e.compaction?.seen.length ?? 0, 'automatic compaction')} seen here`;
    case 'rule':
      return say`the client compacts at ${tokens(next.at)}, a rule known of this client and version`;
    case 'runner':
      return say`the restart line at ${tokens(next.at)}, the runner’s`;
    case 'setting':
      return say`the restart line at ${tokens(next.at)}, a setting of the project`;
    case 'limit':
      return say`the limit, ${tokens(next.at)}`;
  }
}
