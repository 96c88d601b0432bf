'use client';
/**
 * The number being explained: one at a time, on any page. This module stores the question and the number's element. The
 * popover (why-popover.tsx) is loaded with the first question.
 */
import { useSyncExternalStore } from 'react';
import type { SessionEvent } from '@/core/events/event';
import type { FleetFacts, FleetFigure } from '@/core/explain/explain-fleet';
import type { HistoryFacts, HistoryFigure } from '@/core/explain/explain-history';
import type { SessionFigure } from '@/core/explain/explain-session';
import { createListeners } from '../data/listeners';

export type Question =
  | { about: 'session'; figure: SessionFigure; id: string; version: number }
  | { about: 'compaction'; event: SessionEvent<'compaction'> }
  | { about: 'fleet'; figure: FleetFigure; facts: FleetFacts }
  | { about: 'history'; figure: HistoryFigure; facts: HistoryFacts };

export interface Asked {
  question: Question;
  /** The element beside which the answer is shown; it gets the focus back. */
  anchor: HTMLElement;
}

const listeners = createListeners();
let asked: Asked | null = null;

function set(next: Asked | null): void {
  asked = next;
  listeners.notify();
}

/** Open the explanation of a number. A second call for the same element closes the explanation. */
export function ask(question: Question, anchor: HTMLElement): void {
  set(asked?.anchor === anchor ? null : { question, anchor });
}

export function stopAsking(): void {
  if (asked !== null) set(null);
}

/** Replace the question of an open explanation when its numbers change. */
export function updateQuestion(question: Question, anchor: HTMLElement | null): void {
  if (asked !== null && asked.anchor === anchor && asked.question !== question) set({ question, anchor });
}

/** Update the session version of an open explanation, so that its evidence is read again. */
export function followVersion(versionOf: (id: string) => number | undefined): void {
  if (asked?.question.about !== 'session') return;
  const { question, anchor } = asked;
  const version = versionOf(question.id) ?? question.version;
  if (version !== question.version) set({ question: { ...question, version }, anchor });
}

export function useAsked(): Asked | null {
  return useSyncExternalStore(
    listeners.add,
    () => asked,
    () => null,
  );
}
