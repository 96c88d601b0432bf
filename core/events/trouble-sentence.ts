import type { EventData, EventDetail } from './details';

/** The trouble of a session in one sentence with its numbers. */
export function troubleSentence(event: EventData<'thrash' | 'cache_storm'>): string {
  return event.kind === 'thrash' ? thrashSentence(event.detail) : stormSentence(event.detail);
}

function thrashSentence(detail: EventDetail<'thrash'>): string {
  if (detail.form === 'restart_full') {
    return `The first turn after the restart used ${tokens(detail.used)}, past the restart line at ${tokens(detail.line)}: the checkpoint is too large.`;
  }
  const repeated = detail.inARow > 1 ? `, ${detail.inARow} times in a row` : '';
  if (detail.form === 'in_a_row') {
    return `Compacted again with no turn in between${repeated}: the compaction freed nothing.`;
  }
  const turns = detail.turns === 1 ? '1 turn' : `${detail.turns} turns`;
  return `Full again ${turns} after its compaction${repeated}: summary and re-read files leave too little room.`;
}

function stormSentence({ usualShare, share, missed, of, tokens: sent }: EventDetail<'cache_storm'>): string {
  return `Cache hits fell from ${percent(usualShare)} to ${percent(share)} of the prompt: ${missed} of the last ${of} calls sent ${tokens(sent)} uncached.`;
}

function tokens(value: number): string {
  return `${String(value).replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f')} tokens`;
}

function percent(share: number): string {
  return `${Math.floor(share * 100)}\u00a0%`;
}
