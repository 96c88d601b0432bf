/** Replays a session's history through a rule, with the machine and the conditions that live alerts use. */
import type { EventData } from '../events/details';
import { type AlertState, stepAlert, stepEventAlert } from './alert-machine';
import { alertText } from './alert-text';
import { type AlertFacts, changesAt, earliest, holds, isOfEvent, matchesEvent } from './conditions';
import type { RuleDefinition } from './rule';
import { compileScope } from './scope';

/** A time in which an alert would have fired, milliseconds. */
export interface AlertSpan {
  firedAt: number;
  /** Null: it would still fire. */
  resolvedAt: number | null;
  text: string;
}

interface Live {
  state: AlertState | null;
  dueAt: number | null;
  span: AlertSpan | null;
}

/** @param from alerts that end before this time are left out; earlier items still set the state */
export function createReplay(rule: RuleDefinition, from: number) {
  const isIn = compileScope(rule.scope);
  const spans: AlertSpan[] = [];
  const level: Live = { state: null, dueAt: null, span: null };
  const ofEvents: Live[] = [];
  let facts: AlertFacts | null = null;
  const byEvent = isOfEvent(rule.condition);

  function settle(live: Live, step: ReturnType<typeof stepAlert>, now: number, text: () => string): void {
    if (step.change === 'fired') {
      live.span = { firedAt: now, resolvedAt: null, text: text() };
      spans.push(live.span);
    }
    if (step.change === 'resolved' && live.span) live.span.resolvedAt = now;
    live.state = step.state;
    live.dueAt = step.dueAt;
  }

  function check(now: number): void {
    if (facts === null) return;
    const seen = facts;
    const isActive = level.state !== null;
    const isOn = isIn(seen) ? holds(rule.condition, seen, now, isActive) : false;
    settle(level, stepAlert(rule, level.state, isOn, now), now, () => alertText(rule.condition, seen, now));
    level.dueAt = earliest(level.dueAt, changesAt(rule.condition, seen, now, level.state !== null));
  }

  /** Let time pass up to `to`, exclusive. */
  function pass(to: number): void {
    while (level.dueAt !== null && level.dueAt < to) check(level.dueAt);
    for (const live of ofEvents) {
      while (live.dueAt !== null && live.dueAt < to) {
        const now = live.dueAt;
        settle(live, stepEventAlert(rule, live.state, now), now, () => '');
      }
    }
  }

  return {
    /** The session after an item, in the order of the items. A time before an earlier one counts as that time. */
    step(at: number, next: AlertFacts, events: readonly EventData[]): void {
      pass(at);
      // History that was imported is judged as if it were live.
      facts = { ...next, backfill: false };
      if (!byEvent) check(at);
      const counted = byEvent && isIn(facts) ? events : [];
      for (const event of counted) {
        if (!matchesEvent(rule.condition, event)) continue;
        const live: Live = { state: null, dueAt: null, span: null };
        const seen = facts;
        settle(live, stepEventAlert(rule, null, at), at, () => alertText(rule.condition, seen, at, event));
        ofEvents.push(live);
      }
    },
    /** The alerts of the session until now. */
    end(now: number): AlertSpan[] {
      pass(now);
      return spans.filter(({ resolvedAt }) => resolvedAt === null || resolvedAt >= from);
    },
  };
}
