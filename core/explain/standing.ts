/** Phrases that several explanations share. */
import type { Evidence } from '../api/evidence';
import type { Session } from '../api/session';
import { atTime, count, counted, type Explanation, type Phrase, say, tokens } from './explanation';

type Place = Evidence['newestTurn'];

/** Certainty of a number that depends on the tokens in use. */
export function certaintyOf({ complete, estimated }: Session): Explanation['certainty'] {
  return complete ? (estimated ? 'estimate' : 'exact') : 'at least';
}

export function certaintyCaveats({ complete, estimated }: Pick<Session, 'complete' | 'estimated'>) {
  return [
    !complete &&
      say`Turns of this context were lost or refused, so this is a lower bound until the next boundary.`,
    estimated && say`The last reading is an estimate, characters ÷ 4. A real reading replaces it.`,
  ];
}

/** As in `turn 275, 17:51`. */
export function turnPhrase(place: Place): Phrase {
  return place === null ? say`an unknown turn` : say`turn ${count(place.number)}, ${atTime(place.at)}`;
}

/** Why the tokens in use are unknown. */
export function unknownPhrase({ context, session }: Evidence): Phrase {
  if (session.state === 'untracked') {
    return say`A main turn of this context had no usage, so the sum is unknown. The API returns 0; this page shows “not tracked”. Tracking can resume after the next boundary.`;
  }
  const since =
    context.startedBy === null || context.startedAt === null
      ? say`No reading of the context’s size yet.`
      : say`The ${context.startedBy} at ${atTime(context.startedAt)} started a new context, which has no reading yet.`;
  if (session.lastKnownUsed === null) return since;
  return say`${since} The last known value was ${tokens(session.lastKnownUsed)} tokens.`;
}

export function lensSource({ lens }: Session): Phrase {
  return lens === 'snapshot'
    ? say`snapshot: the last reading of the context’s size`
    : say`cumulative: the sum of input and output of this context’s turns`;
}

const READING: Record<NonNullable<Evidence['reading']>['basis'], string> = {
  total: 'reading with the output',
  input: 'reading of the input only',
  estimate: 'estimate',
};

export function usedSource({ session, context, reading }: Evidence): Phrase {
  if (session.lens === 'cumulative') return contextTurns(context);
  return reading === null ? say`no reading` : say`${READING[reading.basis]}, ${turnPhrase(reading.turn)}`;
}

/** As in `12 turns of context 3`. */
export function contextTurns({ mainTurns, index }: Evidence['context']): Phrase {
  return say`${counted(mainTurns, 'turn')} of context ${count(index)}`;
}

export function limitSource({ limit, newestTurn }: Evidence): Phrase {
  const { source, at, model, table, proof } = limit;
  const ofModel = model === null ? '' : ` for ${model}`;
  const sources: Record<Evidence['limit']['source'], Phrase> = {
    turn: say`stated with ${turnPhrase(newestTurn)}`,
    client: say`stated by the client${ofModel}`,
    status_line: say`stated by the client’s status line${ofModel}`,
    api_error: say`stated by an error of the API${ofModel}`,
    session: say`declared for this session by its runner`,
    setting: say`set for the model in the project’s settings`,
    table: say`the table of models${table === null ? '' : ` (${table.models}), from ${table.source}, read ${table.date}`}`,
    learned: say`learned from a reading above the former limit${proof === null ? '' : say`: ${tokens(proof.tokens)} at ${atTime(proof.at)}`}`,
    assumed: say`assumed ${tokens(limit.tokens ?? 0)}, because none was stated and the table of models lacks the model`,
    none: say`not reported, and no model is named`,
  };
  return at === null || source === 'turn'
    ? sources[source]
    : say`${sources[source]}; in use since ${atTime(at)}`;
}

/** The next boundary and the source of its position. */
export function boundaryPhrase({ session: { nextBoundary }, compaction }: Evidence): Phrase {
  if (nextBoundary === null) return say`none known`;
  const at = tokens(nextBoundary.at);
  const seen = counted(compaction?.seen.length ?? 0, 'automatic compaction');
  const places: Record<typeof nextBoundary.source, Phrase> = {
    client: say`the client compacts at ${at}, as stated by the client`,
    learned: say`the client compacts at ${at}, the lowest of ${seen} seen here`,
    rule: say`the client compacts at ${at}, by a rule for this client and version`,
    runner: say`the runner’s restart line at ${at}`,
    limit: say`the limit, ${at}`,
  };
  return places[nextBoundary.source];
}
