/**
 * The archive of a compaction. It is copied just before one, and reported by a hook, so its notice may come before or
 * behind the compaction's first report. The two belong together where no main turn lies between them and their
 * triggers do not differ; anything else is left apart.
 */
import type { EventDetail } from '../events/details';
import type { ItemOf } from '../protocol/items';
import type { ArchiveMemory, ChainFold, CompactionMemory, FoldStep } from './fold-types';

/** Archives of one compaction that are remembered by their id: the copy at the hook, the completed one, tries. */
const MOST_IDS = 8;

/** The facts of an archive notice, absent ones left out. */
export function archiveFacts(item: ItemOf<'archive'>): EventDetail<'archive_stored'> {
  const facts = {};
  for (const name of ['archive', 'version', 'reason', 'path', 'bytes', 'lines', 'sha256'] as const) {
    if (item[name] !== undefined) Object.assign(facts, { [name]: item[name] });
  }
  return facts;
}

function memoryOf(item: ItemOf<'archive'>): ArchiveMemory {
  const detail = { state: item.state, ...archiveFacts(item) };
  const ids = item.archive === undefined ? {} : { ids: [item.archive] };
  return { trigger: item.trigger ?? null, detail, ...ids };
}

/** The same list where nothing is new. */
function joinIds(
  known: readonly string[] | undefined,
  added: readonly string[] | undefined,
): readonly string[] | undefined {
  const fresh = added?.filter((id) => !known?.includes(id)) ?? [];
  return fresh.length === 0 ? known : [...(known ?? []), ...fresh].slice(-MOST_IDS);
}

function belongs(archive: ArchiveMemory, compaction: Pick<CompactionMemory, 'trigger'>): boolean {
  return archive.trigger === null || archive.trigger === compaction.trigger;
}

/** The last of several notices wins, but a failure never replaces a stored archive. */
function isStored(detail: Readonly<ArchiveMemory['detail']> | undefined): boolean {
  return detail?.state === 'stored';
}

/**
 * Joins an archive to the compaction reported before it, or keeps it for the next one.
 * @param chain the chain whose transcript was archived; changed in place.
 * @returns the compaction's event with the archive in its detail; null: none was reported yet.
 */
export function attachArchive(chain: ChainFold, item: ItemOf<'archive'>): FoldStep['amends'] {
  const archive = memoryOf(item);
  const last = chain.compactions.at(-1);
  if (last !== undefined && !last.turnSince && belongs(archive, last)) {
    const before = last.detail.archive;
    const known = last.detail.archives;
    const ids = joinIds(known, archive.ids);
    const isKept = isStored(before) && !isStored(archive.detail);
    if (isKept && ids === known) return null;
    if (!isKept) last.detail.archive = archive.detail;
    if (ids) last.detail.archives = ids;
    return { position: last.position, kind: 'compaction', detail: { ...last.detail } };
  }
  const isKept = isStored(chain.archive?.detail) && !isStored(archive.detail);
  const ids = joinIds(chain.archive?.ids, archive.ids);
  chain.archive = { ...(isKept && chain.archive ? chain.archive : archive), ...(ids ? { ids } : {}) };
  return null;
}

/** Whether the transcript before the boundary at the chain's end is stored: a copy of it was stored. */
export function hasArchive(chain: Readonly<ChainFold>): boolean {
  const last = chain.compactions.at(-1);
  const attached = last?.turnSince === false ? last.detail.archive : undefined;
  return isStored(chain.archive?.detail) || isStored(attached);
}

/** A compaction is reported for the first time: takes the archive that waits for it. */
export function takeArchive(chain: ChainFold, compaction: CompactionMemory): void {
  const { archive } = chain;
  if (!archive || !belongs(archive, compaction)) return;
  compaction.detail.archive = archive.detail;
  if (archive.ids) compaction.detail.archives = archive.ids;
  chain.archive = null;
}
