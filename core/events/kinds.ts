/** The table of event kinds. Lists, filters, chart flags, the read API and its documentation derive from it. */
import type { EventData, EventDetail, EventKind } from './details';

/** A drawing of 12 px (components/events/event-glyph.tsx); `state` takes the sign of a pressure state. */
type EventIcon =
  | 'state'
  | 'tear'
  | 'no-tear'
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
  | 'cache_storm';

/** Groups of the event filter, in its order. */
export const EVENT_GROUPS = [
  'boundaries',
  'pressure',
  'trouble',
  'archives',
  'tracking',
  'sessions',
] as const;

interface KindEntry<K extends EventKind> {
  label: string;
  /** Name of one event, where its detail says more than the kind. */
  labelOf?: (detail: Readonly<EventDetail<K>>) => string;
  /** One sentence for tooltips and the API documentation. */
  description: string;
  icon: EventIcon;
  severity: 'info' | 'warning' | 'error';
  group: (typeof EVENT_GROUPS)[number];
  /** Drawn on a session's chart: a boundary, or a flag with the label. */
  isDrawn?: true;
  /** The boundary that ends a context; a compaction only once it is confirmed. */
  endsContext?: 'restart' | 'compaction' | 'clear';
}

type KindTable = { readonly [K in EventKind]: KindEntry<K> };

export const KINDS: KindTable = {
  session_started: {
    label: 'session started',
    labelOf: ({ reason }) => STARTED[reason],
    description: 'A session started or resumed.',
    icon: 'begin',
    severity: 'info',
    group: 'sessions',
  },
  session_ended: {
    label: 'session ended',
    description: 'A session ended.',
    icon: 'end',
    severity: 'info',
    group: 'sessions',
  },
  state_changed: {
    label: 'state',
    labelOf: ({ to }) => (to === 'redlined' ? 'over limit' : to),
    description: 'The pressure state changed.',
    icon: 'state',
    severity: 'info',
    group: 'pressure',
  },
  approaching_redline: {
    label: 'restart line',
    description: 'The pressure reached the restart line.',
    icon: 'line',
    severity: 'warning',
    group: 'pressure',
  },
  redlined: {
    label: 'over limit',
    description: 'The context exceeded its limit.',
    icon: 'state',
    severity: 'error',
    group: 'pressure',
  },
  restart: {
    label: 'restart',
    description: 'The runner started a fresh context from a checkpoint.',
    icon: 'restart',
    severity: 'info',
    group: 'boundaries',
    isDrawn: true,
    endsContext: 'restart',
  },
  compaction: {
    label: 'compaction',
    labelOf: ({ state }) => COMPACTION[state],
    description: 'The client summarised its context, or started to.',
    icon: 'tear',
    severity: 'info',
    group: 'boundaries',
    isDrawn: true,
    endsContext: 'compaction',
  },
  context_cleared: {
    label: 'clear',
    description: 'The client emptied the context.',
    icon: 'clear',
    severity: 'info',
    group: 'boundaries',
    isDrawn: true,
    endsContext: 'clear',
  },
  context_compressed: {
    label: 'compressed',
    description: 'Messages were removed and the same context continues.',
    icon: 'notch',
    severity: 'info',
    group: 'boundaries',
    isDrawn: true,
  },
  tracking_disabled: {
    label: 'tracking lost',
    description: 'A turn had no usage, so the sums of this context are unknown.',
    icon: 'state',
    severity: 'warning',
    group: 'tracking',
  },
  tracking_enabled: {
    label: 'tracking resumed',
    description: 'Usage is reported again after a boundary.',
    icon: 'trace',
    severity: 'info',
    group: 'tracking',
  },
  archive_stored: {
    label: 'archive stored',
    description: 'A transcript was archived.',
    icon: 'sheet',
    severity: 'info',
    group: 'archives',
  },
  archive_skipped: {
    label: 'archive skipped',
    description: 'A transcript was not archived, by choice of the runner.',
    icon: 'no-sheet',
    severity: 'warning',
    group: 'archives',
    isDrawn: true,
  },
  archive_failed: {
    label: 'archive failed',
    description: 'A transcript could not be archived.',
    icon: 'no-sheet',
    severity: 'error',
    group: 'archives',
    isDrawn: true,
  },
  archive_damaged: {
    label: 'archive damaged',
    description: 'Stored bytes of a transcript changed or are missing.',
    icon: 'no-sheet',
    severity: 'error',
    group: 'archives',
    isDrawn: true,
  },
  archive_healed: {
    label: 'archive restored',
    description: 'The missing bytes of a damaged transcript were stored again.',
    icon: 'sheet',
    severity: 'info',
    group: 'archives',
  },
  turns_dropped: {
    label: 'turns lost',
    description: 'The runner dropped turns; sums are a lower bound until the next boundary.',
    icon: 'gap',
    severity: 'error',
    group: 'tracking',
    isDrawn: true,
  },
  thrash: {
    label: 'thrash',
    labelOf: ({ form }) => THRASH[form],
    description: 'A boundary freed too little: the context filled up again at once.',
    icon: 'thrash',
    severity: 'warning',
    group: 'trouble',
    isDrawn: true,
  },
  cache_storm: {
    label: 'cache storm',
    description: 'Several calls in a row missed the prompt cache.',
    icon: 'cache_storm',
    severity: 'warning',
    group: 'trouble',
    isDrawn: true,
  },
};

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

export const EVENT_KINDS = Object.keys(KINDS) as [EventKind, ...EventKind[]];

export const DRAWN_KINDS = EVENT_KINDS.filter((kind) => KINDS[kind].isDrawn);

export const BOUNDARY_KINDS = EVENT_KINDS.filter((kind) => KINDS[kind].endsContext);

export const EVENT_SCOPES = ['main', 'side'] as const;

export function eventLabel<K extends EventKind>({ kind, detail }: EventData<K>): string {
  const { label, labelOf }: KindEntry<K> = KINDS[kind];
  return labelOf?.(detail) ?? label;
}

/** The boundary by which an event ended its context; null: it ended none. */
export function boundaryOf(event: EventData): 'restart' | 'compaction' | 'clear' | null {
  if (event.kind === 'compaction' && event.detail.state !== 'confirmed') return null;
  return KINDS[event.kind].endsContext ?? null;
}
