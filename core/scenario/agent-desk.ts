/**
 * The moment-to-moment course of one agent: its clock and the steps of its stream. Everything random about
 * pauses is here; what it says is decided by its play.
 */
import { sessionId } from '../identity/session-id';
import type { SourceName } from '../protocol/messages';
import type { AgentPlan } from './agent-plan';
import type { Random } from './random';
import type { ScenarioItem, ScenarioStep } from './types';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export interface AgentDesk {
  readonly plan: AgentPlan;
  readonly random: Random;
  /** Milliseconds from the scenario's beginning. */
  now(): number;
  wait(ms: number): void;
  /** The pause before the next turn: seconds at work, minutes when the user is away. */
  pause(): void;
  /** A step of the agent's own stream, now. */
  step(item: ScenarioItem): ScenarioStep;
  /** A step of the stream of its hooks, now. */
  hookStep(item: ScenarioItem): ScenarioStep;
  /** A call id that no other call of the session has. */
  nextCall(): string;
}

export function openDesk(plan: AgentPlan, random: Random): AgentDesk {
  let now = plan.startMs;
  let turnsLeftInBurst = random.int(8, 40);
  let calls = 0;
  const stepFrom = (stream: string, source: SourceName, item: ScenarioItem): ScenarioStep => ({
    afterMs: now,
    stream,
    runner: plan.runner,
    project: plan.project,
    source,
    item,
  });
  return {
    plan,
    random,
    now: () => now,
    wait: (ms) => {
      now += Math.round(ms);
    },
    pause: () => {
      turnsLeftInBurst -= 1;
      const isBreak = turnsLeftInBurst <= 0;
      if (isBreak) turnsLeftInBurst = random.int(8, 40);
      const ms = isBreak ? random.skewed(1 * MINUTE, 7 * MINUTE) : random.skewed(5 * SECOND, 55 * SECOND);
      now += Math.round(ms * plan.pace);
    },
    step: (item) => stepFrom(plan.stream, plan.source, item),
    hookStep: (item) => stepFrom(`${plan.stream}-hooks`, 'hook', item),
    nextCall: () => {
      calls += 1;
      return `msg_${calls.toString(36).padStart(5, '0')}`;
    },
  };
}

/** Whether the agent's day is over. */
export function isOver(desk: AgentDesk): boolean {
  const { silentFromMs, endsAtMs } = desk.plan.habits;
  return (
    desk.now() >= Math.min(silentFromMs ?? Number.POSITIVE_INFINITY, endsAtMs ?? Number.POSITIVE_INFINITY)
  );
}

/** The session's first words. */
export function startStep(desk: AgentDesk): ScenarioStep {
  const { plan } = desk;
  return desk.step({
    type: 'session_start',
    session: plan.key,
    reason: 'startup',
    lens: plan.lens,
    title: plan.title,
    client: plan.client,
    clientVersion: plan.clientVersion,
    clientSessionId: sessionId(plan.project, plan.key),
    model: plan.model,
    host: plan.runner.host,
    folder: plan.folder,
    branch: plan.branch,
    ...(plan.limitStated === 'session' ? { limit: plan.limit } : {}),
    ...(plan.whenFull.kind === 'restart' ? { restartLine: plan.whenFull.line } : {}),
    ...(plan.whenFull.kind === 'overshoot' ? { restartLine: 1.1 } : {}),
  });
}
