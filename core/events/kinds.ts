/** The table of event kinds, for lists, filters, chart flags, the read API and its documentation. */
import type { EventData, EventDetail, EventKind } from './details';

/** A 12-px icon (components/events/event-glyph.tsx). `state` is the sign of a pressure state. */
type EventIcon =
  | 'state'
  | 'tear'
  | 'restart'
  | 'clear'
  | 'notch'
  | 'line'
  | 'begin'
  | 'end'
  | 'trace'
  | 'gap'
  | 'sheet'
  | 'no-sheet'
  | 'thrash'
  | 'cache_storm'
  | 'command';

/** Groups of the event filter, in its order. */
export const EVENT_GROUPS = [
  'boundaries',
  'pressure',
  'trouble',
  'archives',
  'tracking',
  'sessions',
] as const;

type Boundary = 'restart' | 'compaction' | 'clear';

interface KindEntry {
  label: string;
  icon: EventIcon;
  severity: 'info' | 'warning' | 'error';
  group: (typeof EVENT_GROUPS)[number];
  /** Drawn on a session's chart, as a boundary or as a flag with the label. */
  isDrawn?: true;
  /** The boundary that ends a context. A compaction ends the context only once it is confirmed. */
  ends?: Boundary;
}

export const KINDS: Readonly<Record<EventKind, KindEntry>> = {
  session_started: { label: 'session started', icon: 'begin', severity: 'info', group: 'sessions' },
  session_ended: { label: 'session ended', icon: 'end', severity: 'info', group: 'sessions' },
  state_changed: { label: 'state', icon: 'state', severity: 'info', group: 'pressure' },
  approaching_redline: { label: 'restart line', icon: 'line', severity: 'warning', group: 'pressure' },
  redlined: { label: 'over limit', icon: 'state', severity: 'error', group: 'pressure' },
  window_changed: {
    label: 'window changed',
    icon: 'trace',
    severity: 'info',
    group: 'pressure',
    isDrawn: true,
  },
  restart: boundary('restart', 'restart', 'restart'),
  compaction: boundary('compaction', 'tear', 'compaction'),
  context_cleared: boundary('clear', 'clear', 'clear'),
  context_compressed: boundary('compressed', 'notch'),
  tracking_disabled: { label: 'tracking lost', icon: 'state', severity: 'warning', group: 'tracking' },
  tracking_enabled: { label: 'tracking resumed', icon: 'trace', severity: 'info', group: 'tracking' },
  archive_stored: { label: 'archive copied', icon: 'sheet', severity: 'info', group: 'archives' },
  archive_skipped: { ...lostArchive('archive skipped'), severity: 'warning' },
  archive_failed: lostArchive('archive failed'),
  archive_damaged: lostArchive('archive damaged'),
  archive_healed: { label: 'archive restored', icon: 'sheet', severity: 'info', group: 'archives' },
  turns_dropped: { label: 'turns lost', icon: 'gap', severity: 'error', group: 'tracking', isDrawn: true },
  command: { label: 'command', icon: 'command', severity: 'info', group: 'sessions', isDrawn: true },
  thrash: { label: 'thrash', icon: 'thrash', severity: 'warning', group: 'trouble', isDrawn: true },
  cache_storm: {
    label: 'cache storm',
    icon: 'cache_storm',
    severity: 'warning',
    group: 'trouble',
    isDrawn: true,
  },
};

function boundary(label: string, icon: EventIcon, ends?: Boundary): KindEntry {
  return { label, icon, severity: 'info', group: 'boundaries', isDrawn: true, ...(ends && { ends }) };
}

function lostArchive(label: string): KindEntry {
  return { label, icon: 'no-sheet', severity: 'error', group: 'archives', isDrawn: true };
}

/** One sentence per kind, for tooltips and the API documentation. */
export const KIND_DESCRIPTIONS: Readonly<Record<EventKind, string>> = {
  session_started: 'A session started or resumed.',
  session_ended: 'A session ended.',
  state_changed: 'The pressure state changed.',
  approaching_redline: 'The pressure reached the restart line.',
  redlined: 'The context reached its limit.',
  window_changed: 'The context window changed: another model, or another statement about the same model.',
  restart: 'The runner started a fresh context from a checkpoint.',
  compaction: 'The client summarised its context, or announced that it will.',
  context_cleared: 'The client emptied the context.',
  context_compressed: 'Messages were removed and the same context continues.',
  tracking_disabled: 'A turn had no usage, so the sums of this context are unknown.',
  tracking_enabled: 'Usage is reported again after a boundary.',
  archive_stored: 'The runner’s host has a copy of the transcript.',
  archive_skipped: 'There was no transcript to archive.',
  archive_failed: 'A transcript could not be archived.',
  archive_damaged: 'Stored bytes of a transcript changed or are missing.',
  archive_healed: 'The missing bytes of a damaged transcript were stored again.',
  turns_dropped: 'Turns were dropped or refused; sums are a lower bound until the next boundary.',
  command: 'The runner carried out, or refused, a command of an operator.',
  thrash: 'A boundary freed too little: the context was soon full again.',
  cache_storm: 'Three of the last five calls missed the prompt cache.',
};

export const EVENT_KINDS = Object.keys(KINDS) as [EventKind, ...EventKind[]];

export const DRAWN_KINDS = EVENT_KINDS.filter((kind) => KINDS[kind].isDrawn);

export const BOUNDARY_KINDS = EVENT_KINDS.filter((kind) => KINDS[kind].ends);

export const EVENT_SCOPES = ['main', 'side'] as const;

/** Labels of single events, if their detail is more precise than the kind. */
const STARTED: Record<EventDetail<'session_started'>['reason'], string> = {
  startup: 'session started',
  resumed: 'session resumed',
  clear: 'started after a clear',
  fork: 'forked',
};

const COMPACTION: Record<EventDetail<'compaction'>['state'], string> = {
  pending: 'compaction started',
  confirmed: 'compaction',
  blocked: 'compaction blocked',
  failed: 'compaction failed',
};

const THRASH: Record<EventDetail<'thrash'>['form'], string> = {
  refill: 'full again after compaction',
  in_a_row: 'compactions in a row',
  restart_full: 'full right after restart',
};

export function eventLabel({ kind, detail }: EventData): string {
  switch (kind) {
    case 'session_started':
      return STARTED[detail.reason];
    case 'state_changed':
      return detail.to === 'redlined' ? 'over limit' : detail.to;
    case 'compaction':
      return COMPACTION[detail.state];
    case 'thrash':
      return THRASH[detail.form];
    default:
      return KINDS[kind].label;
  }
}

/** The boundary by which an event ended its context. Null: the event ended no context. */
export function boundaryOf(event: EventData): Boundary | null {
  if (event.kind === 'compaction' && event.detail.state !== 'confirmed') return null;
  return KINDS[event.kind].ends ?? null;
}
