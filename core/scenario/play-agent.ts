import { AgentDesk } from './agent-desk';
import type { AgentPlan } from './agent-plan';
import { createRandom, type Random } from './random';
import type { ScenarioStep } from './types';

/** The steps of one agent by its plan, generated on demand. The steps are endless unless a habit ends them. */
export function* playAgent(plan: AgentPlan, seed: number): Generator<ScenarioStep> {
  const desk = new AgentDesk(plan, createRandom(seed));
  yield* plan.lens === 'cumulative' ? playCumulativeAgent(desk) : playSnapshotAgent(desk);
}

/** An agent that reports deltas per turn, without the resent history, for the cumulative lens. */
function* playCumulativeAgent(desk: AgentDesk): Generator<ScenarioStep> {
  const { plan, random } = desk;
  const { habits } = plan;
  yield desk.startStep();
  desk.wait(random.int(2_000, 9_000));
  let used = 0;
  let turns = 0;

  while (!desk.isOver) {
    const isFull = plan.whenFull.kind === 'overshoot' && used >= plan.limit * plan.whenFull.upTo;
    turns += 1;
    const hasUsage = turns !== habits.losesUsageAtTurn;
    const input = isFull ? 0 : random.skewed(300, 5_200);
    const output = isFull ? random.int(1, 9) : random.skewed(120, 2_400);
    const isStorm = random.chance(habits.cacheStorms);
    const cacheRead = isStorm ? random.int(700_000, 1_900_000) : random.skewed(4_000, 120_000);
    yield desk.step({
      type: 'turn',
      session: plan.key,
      model: plan.model,
      call: desk.nextCall(),
      ...(plan.limitStated === 'turn' ? { limit: plan.limit } : {}),
      usage: hasUsage ? { input, output, cacheRead, cacheCreation: random.skewed(0, 6_000) } : null,
    });
    if (hasUsage) used += input + output;
    const line = plan.whenFull.kind === 'restart' ? plan.whenFull.line : Number.POSITIVE_INFINITY;
    if (used >= line * plan.limit) {
      yield* restart(desk, used / plan.limit);
      used = 0;
      turns = 0;
    }
    desk.pause();
  }
  if (habits.endsAtMs !== undefined) {
    yield desk.step({ type: 'session_end', session: plan.key, reason: 'completed' });
  }
}

/** Tokens per call, as in real transcripts: mostly 200 to 3 000, sometimes a file of 8 000 to 28 000. */
export function growthOfCall(random: Random): number {
  if (random.chance(0.035)) return random.skewed(8_000, 28_000);
  if (random.chance(0.22)) return random.int(2_000, 5_500);
  return random.skewed(180, 2_600);
}

export function firstOccupancy(random: Random): number {
  return random.int(18_000, 45_000);
}

function occupancyAfterCompaction(random: Random): number {
  return random.int(32_000, 62_000);
}

/** An agent that reports single calls, with the size of its context after each call. */
function* playSnapshotAgent(desk: AgentDesk): Generator<ScenarioStep> {
  const { plan, random } = desk;
  const { habits } = plan;
  yield desk.startStep();
  desk.wait(random.int(2_000, 9_000));
  let occupancy = Math.min(firstOccupancy(random), plan.limit * 0.4);
  let isCacheCold = true;
  let subAgents = 0;

  while (!desk.isOver) {
    yield callStep(desk, Math.round(occupancy), isCacheCold);
    isCacheCold = random.chance(habits.cacheStorms);
    if (random.chance(habits.dropsTurns)) {
      const reason = 'the runner’s queue was full';
      yield desk.step({ type: 'gap', session: plan.key, count: random.int(2, 9), reason });
    }
    if (random.chance(habits.subAgents)) {
      subAgents += 1;
      yield* playSubAgent(desk, `agent-${subAgents}`);
    }
    const share = occupancy / plan.limit;
    const isManual = share >= (habits.compactsByHandAt ?? Number.POSITIVE_INFINITY);
    if (share >= (habits.clearsAt ?? Number.POSITIVE_INFINITY)) {
      yield desk.step({ type: 'clear', session: plan.key });
      occupancy = firstOccupancy(random);
    } else if (isManual || (plan.whenFull.kind === 'compact' && occupancy >= plan.whenFull.at - 1_500)) {
      yield* compact(desk, isManual ? 'manual' : 'auto', Math.round(occupancy));
      occupancy = occupancyAfterCompaction(random);
      isCacheCold = true;
    } else if (plan.whenFull.kind === 'restart' && share >= plan.whenFull.line) {
      yield* restart(desk, share);
      occupancy = firstOccupancy(random);
      isCacheCold = true;
    } else if (random.chance(habits.rewinds)) {
      occupancy *= 0.72;
    } else if (plan.whenFull.kind !== 'overshoot' || share < plan.whenFull.upTo) {
      occupancy += growthOfCall(random);
    }
    desk.pause();
  }
  if (habits.endsAtMs !== undefined) {
    yield desk.step({ type: 'session_end', session: plan.key, reason: 'prompt_input_exit' });
  }
}

function callStep(desk: AgentDesk, occupancy: number, isCacheCold: boolean): ScenarioStep {
  const { plan, random } = desk;
  const base = { type: 'turn', session: plan.key, model: plan.model, call: desk.nextCall() } as const;
  const limit = plan.limitStated === 'turn' ? { limit: plan.limit } : {};
  if (plan.habits.estimates) {
    return desk.step({ ...base, ...limit, usage: null, contextTokens: occupancy, basis: 'estimate' });
  }
  const input = random.int(3, 12);
  const output = Math.min(random.skewed(60, 1_800), Math.floor(occupancy / 4));
  const rest = occupancy - input - output;
  const cacheCreation = isCacheCold ? rest : Math.min(rest, random.skewed(120, 2_800));
  return desk.step({
    ...base,
    ...limit,
    usage: { input, output, cacheCreation, cacheRead: rest - cacheCreation },
    contextTokens: occupancy,
    basis: 'total',
  });
}

/** A compaction takes about a minute. The client writes its record at the end. */
function* compact(desk: AgentDesk, trigger: 'auto' | 'manual', occupancy: number): Generator<ScenarioStep> {
  const { plan, random } = desk;
  const durationMs = random.int(48_000, 92_000);
  const session = plan.key;
  desk.wait(2_000);
  if (plan.habits.hooks !== undefined) {
    yield desk.hookStep({ type: 'compaction', session, trigger, state: 'pending' });
    const archive = { type: 'archive', session, trigger } as const;
    yield plan.habits.hooks === 'archives'
      ? desk.hookStep({
          ...archive,
          state: 'stored',
          path: `${plan.folder}/.archives/${plan.key.slice(-8)}_transcript.jsonl`,
          bytes: occupancy * 23,
        })
      : desk.hookStep({ ...archive, state: 'failed', reason: 'no space left on device' });
  }
  desk.wait(durationMs);
  const preTokens = occupancy + (trigger === 'auto' ? random.skewed(1_500, 6_000) : random.int(0, 700));
  yield desk.step({
    type: 'turn',
    session,
    scope: 'side',
    model: plan.model,
    call: desk.nextCall(),
    usage: { input: 9, output: random.int(1_800, 5_200), cacheRead: occupancy },
  });
  yield desk.step({
    type: 'compaction',
    session,
    trigger,
    state: 'confirmed',
    preTokens,
    postTokens: random.int(2_600, 9_400),
    durationMs,
    boundary: `boundary-${desk.nextCall()}`,
  });
  if (plan.habits.guessesAfterCompaction) {
    const contextTokens = random.int(13_000, 21_000);
    yield desk.step({ type: 'reading', session, contextTokens, basis: 'estimate' });
  }
  desk.wait(random.int(3_000, 20_000));
}

function* restart(desk: AgentDesk, pressure: number): Generator<ScenarioStep> {
  const { plan } = desk;
  desk.wait(20_000);
  yield desk.step({
    type: 'restart',
    session: plan.key,
    reason: 'context threshold reached',
    pressure,
    checkpoint: [
      `Goal: ${plan.title}`,
      `Completed Work: the changes so far are committed on ${plan.branch}; the unit tests pass.`,
      'Remaining Tasks: the integration tests, then the notes for the reviewer.',
      'Do Not Redo: the survey of the call sites.',
      'Key Decisions: keep the public interface unchanged.',
    ].join('\n'),
  });
  desk.wait(4_000);
}

function* playSubAgent(desk: AgentDesk, chain: string): Generator<ScenarioStep> {
  const { plan, random } = desk;
  let occupancy = random.int(9_000, 16_000);
  for (let turns = random.int(4, 16); turns > 0; turns -= 1) {
    const output = random.skewed(40, 900);
    const cacheCreation = Math.min(occupancy - output - 5, random.skewed(200, 2_400));
    yield desk.step({
      type: 'turn',
      session: plan.key,
      chain,
      model: plan.model,
      call: desk.nextCall(),
      usage: { input: 5, output, cacheCreation, cacheRead: occupancy - output - 5 - cacheCreation },
      contextTokens: occupancy,
      basis: 'total',
    });
    occupancy += growthOfCall(random);
    desk.wait(random.int(3_000, 14_000));
  }
}
