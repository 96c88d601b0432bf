/**
 * Matches archives with compactions. A runner copies the transcript just before the compaction, and may report the
 * archive before or after the compaction. The reports match if their triggers agree and no main turn is between them.
 */
import type { EventDetail } from '../events/details';
import type { ItemOf } from '../protocol/items';
import type { ArchiveMemory, ChainFold, CompactionMemory } from './fold-types';
import type { Step } from './step';

/** Maximum archive ids kept per compaction: the hook's copy, the completed copy and retries. */
const MOST_IDS = 8;

export function applyArchive(step: Step, item: ItemOf<'archive'>): void {
  const { state, chain } = step;
  const facts = archiveFacts(item);
  const { trigger, archive } = item;
  step.emit({ kind: `archive_${item.state}`, detail: { ...(trigger && { trigger }), ...facts } });
  const detail = { state: item.state, ...facts };
  const ids = archive === undefined ? {} : { ids: [archive] };
  attach(step, { trigger: trigger ?? null, at: step.input.at, detail, ...ids });
  // A failure is shown until an archive is stored. After a stored copy, a failure is not shown, because nothing is
  // lost.
  if (item.state === 'stored') state.archiveFailure = null;
  if (item.state === 'failed' && !hasArchive(chain))
    state.archiveFailure = { at: step.time, reason: item.reason ?? null };
}

function archiveFacts(item: ItemOf<'archive'>): EventDetail<'archive_stored'> {
  const facts = {};
  for (const name of ['archive', 'version', 'reason', 'path', 'bytes', 'lines', 'sha256'] as const) {
    if (item[name] !== undefined) Object.assign(facts, { [name]: item[name] });
  }
  return facts;
}

/** Returns the same list if no id is new. */
function joinIds(known: readonly string[] | undefined, added: readonly string[] = []) {
  const fresh = added.filter((id) => !known?.includes(id));
  return fresh.length === 0 ? known : [...(known ?? []), ...fresh].slice(-MOST_IDS);
}

function belongs(
  archive: Pick<ArchiveMemory, 'trigger'>,
  compaction: Pick<CompactionMemory, 'trigger'>,
): boolean {
  return archive.trigger === null || compaction.trigger === null || archive.trigger === compaction.trigger;
}

/** Finds the compaction with no main turn between it and a report, however late the report arrives. */
export function findOpen(chain: Readonly<ChainFold>, report: Pick<ArchiveMemory, 'at' | 'trigger'>) {
  const last = chain.compactions.at(-1);
  if (last !== undefined && !last.turnSince) return belongs(report, last) ? last : null;
  const isAround = ({ at, turnAt = null }: CompactionMemory) => (turnAt ?? 0) <= report.at && report.at <= at;
  return chain.compactions.find((known) => belongs(report, known) && isAround(known)) ?? null;
}

function isStored(detail: Readonly<ArchiveMemory['detail']> | undefined): boolean {
  return detail?.state === 'stored';
}

function attach(step: Step, archive: ArchiveMemory): void {
  const { chain } = step;
  const last = findOpen(chain, archive);
  if (last !== null) {
    const known = last.detail.archives;
    const ids = joinIds(known, archive.ids);
    const isKept = isStored(last.detail.archive) && !isStored(archive.detail);
    if (isKept && ids === known) return;
    if (!isKept) last.detail.archive = archive.detail;
    if (ids) last.detail.archives = ids;
    step.amends = { position: last.position, kind: 'compaction', detail: { ...last.detail } };
    return;
  }
  const isKept = isStored(chain.archive?.detail) && !isStored(archive.detail);
  const ids = joinIds(chain.archive?.ids, archive.ids);
  chain.archive = { ...(isKept && chain.archive ? chain.archive : archive), ...(ids ? { ids } : {}) };
}

/** Whether a copy of the transcript before the last boundary is stored. */
function hasArchive(chain: Readonly<ChainFold>): boolean {
  const last = chain.compactions.at(-1);
  const attached = last?.turnSince === false ? last.detail.archive : undefined;
  return isStored(chain.archive?.detail) || isStored(attached);
}

export function takeArchive(chain: ChainFold, compaction: CompactionMemory): void {
  const { archive } = chain;
  if (!archive || !belongs(archive, compaction)) return;
  compaction.detail.archive = archive.detail;
  if (archive.ids) compaction.detail.archives = archive.ids;
  chain.archive = null;
}
