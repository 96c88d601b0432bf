'use client';
/**
 * Which number was asked "why?": one at a time, from any page. It owns the question and the element it was asked
 * at; what answers (why-popover.tsx) comes when the first question does, so that no page pays for it.
 */
import { useSyncExternalStore } from 'react';
import type { SessionEvent } from '@/core/api/session';
import type { FleetFacts, FleetFigure } from '@/core/explain/explain-fleet';
import type { HistoryFacts, HistoryFigure } from '@/core/explain/explain-history';
import type { PlaceFacts } from '@/core/explain/explain-place';
import type { SessionFigure } from '@/core/explain/explain-session';
import { createListeners } from '../live/listeners';

export type Question =
  | { about: 'session'; figure: SessionFigure; id: string; version: number }
  | { about: 'compaction'; event: SessionEvent }
  | { about: 'fleet'; figure: FleetFigure; facts: FleetFacts }
  | { about: 'place'; figure: 'barcode'; facts: PlaceFacts }
  | { about: 'history'; figure: HistoryFigure; facts: HistoryFacts };

export interface Asked {
  question: Question;
  /** Where the answer is shown, and where the focus goes back to. */
  anchor: HTMLElement;
}

const listeners = createListeners();
let asked: Asked | null = null;

function set(next: Asked | null): void {
  asked = next;
  listeners.notify();
}

/** Asks; the same element once more takes the question back. */
export function ask(question: Question, anchor: HTMLElement): void {
  set(asked?.anchor === anchor ? null : { question, anchor });
}

export function stopAsking(): void {
  if (asked !== null) set(null);
}

/** What is asked at this element is now this: the numbers moved on while the answer is open. */
export function askAnew(question: Question, anchor: HTMLElement | null): void {
  if (asked !== null && asked.anchor === anchor && asked.question !== question) set({ question, anchor });
}

/** The version that a session has by now, if one is asked about: its answer is read again with it. */
export function followVersion(versionOf: (id: string) => number | undefined): void {
  if (asked?.question.about !== 'session') return;
  const { question, anchor } = asked;
  const version = versionOf(question.id);
  if (version !== undefined && version !== question.version)
    set({ question: { ...question, version }, anchor });
}

export function useAsked(): Asked | null {
  return useSyncExternalStore(
    listeners.add,
    () => asked,
    () => null,
  );
}
