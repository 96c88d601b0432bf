/**
 * The archive of a compaction. It is copied just before one, and told by a hook, so its notice may stand before or
 * behind the compaction's first report. The two belong together where no main turn lies between them and their
 * triggers do not differ; anything else is left apart.
 */
import type { ItemOf } from '../protocol/items';
import type { ArchiveMemory, ChainFold, CompactionMemory, FoldStep } from './fold-types';

const FACTS = ['reason', 'path', 'bytes', 'lines', 'sha256'] as const;

function memoryOf(item: ItemOf<'archive'>): ArchiveMemory {
  const detail: ArchiveMemory['detail'] = { state: item.state };
  for (const fact of FACTS) {
    if (item[fact] !== undefined) detail[fact] = item[fact];
  }
  return { trigger: item.trigger ?? null, detail };
}

function belongs(archive: ArchiveMemory, compaction: Pick<CompactionMemory, 'trigger'>): boolean {
  return archive.trigger === null || archive.trigger === compaction.trigger;
}

/** Of several notices the last stands, but for a stored archive: nothing that failed afterwards takes it back. */
function isStored(detail: Readonly<Record<string, unknown>> | undefined): boolean {
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
    const before = last.detail.archive as ArchiveMemory['detail'] | undefined;
    if (isStored(before) && !isStored(archive.detail)) return null;
    last.detail.archive = archive.detail;
    return { position: last.position, kind: 'compaction', detail: { ...last.detail } };
  }
  if (!(isStored(chain.archive?.detail) && !isStored(archive.detail))) chain.archive = archive;
  return null;
}

/** A compaction is reported for the first time: takes the archive that waits for it. */
export function takeArchive(chain: ChainFold, compaction: CompactionMemory): void {
  const { archive } = chain;
  if (!archive || !belongs(archive, compaction)) return;
  compaction.detail.archive = archive.detail;
  chain.archive = null;
}
