/**
 * Chunks that share bytes (share-beginnings.ts), when those bytes turned out to be spoilt or are about to go. Each
 * chunk of such a group is judged by itself, by its own hash: what can still be had of it stays, what cannot is taken
 * out, and every archive that has it is marked, so that nobody is told it is whole. All of it under the lock of the
 * project and from bytes read anew: what one read saw is no proof.
 */
import { createHash } from 'node:crypto';
import type postgres from 'postgres';
import { markDamaged } from './mark-damaged';
import { ENCODING, SpoiltBytesError, salvageChunk, unpackChunk } from './pack-chunk';

interface Member {
  /** Hexadecimal. */
  sha256: string;
  bytes: number;
  /** A file has it. */
  isUsed: boolean;
}

/** @param sha256 of a chunk that could not be read, or is missing; hexadecimal */
export async function settleChunk(
  tx: postgres.TransactionSql,
  projectId: number,
  sha256: string,
): Promise<void> {
  const [known] = await tx<{ root: string }[]>`
    select encode(coalesce(base, sha256), 'hex') as root from transcript_chunks
    where project_id = ${projectId} and sha256 = decode(${sha256}, 'hex')`;
  if (known) await settleGroup(tx, projectId, known.root, false);
  else await markDamaged(tx, projectId, [sha256]);
}

/**
 * @param root the chunk that holds the bytes, hexadecimal
 * @param isGoing it is about to be deleted: what other files have of its bytes is kept for them
 */
export async function settleGroup(
  tx: postgres.TransactionSql,
  projectId: number,
  root: string,
  isGoing: boolean,
): Promise<void> {
  const all = await tx<Member[]>`
    select encode(c.sha256, 'hex') as sha256, c.bytes, exists (
      select from transcript_parts p where p.project_id = c.project_id and p.sha256 = c.sha256
    ) as "isUsed"
    from transcript_chunks c
    where c.project_id = ${projectId} and (c.sha256 = decode(${root}, 'hex') or c.base = decode(${root}, 'hex'))
    order by c.bytes desc`;
  const members = isGoing ? all.filter(({ isUsed, sha256 }) => isUsed && sha256 !== root) : all;
  const { whole, isSpoilt } = await readRoot(tx, projectId, root);
  const isIntact = ({ sha256, bytes }: Member): boolean =>
    whole.length >= bytes && hashOf(whole.subarray(0, bytes)) === sha256;
  const intact = members.filter(isIntact);
  const damaged = members.filter((member) => !isIntact(member)).map(({ sha256 }) => sha256);
  const [heir] = intact;
  if (heir && (isGoing || isSpoilt || damaged.includes(root))) {
    // As they are: nothing is compressed while others wait for the lock.
    const data = Buffer.from(whole.subarray(0, heir.bytes));
    await tx`
      update transcript_chunks set base = null, data = ${data}, encoding = ${ENCODING.plain},
        stored_bytes = ${data.length}
      where project_id = ${projectId} and sha256 = decode(${heir.sha256}, 'hex')`;
    await tx`
      update transcript_chunks set base = decode(${heir.sha256}, 'hex')
      where project_id = ${projectId} and base = decode(${root}, 'hex')`;
  }
  if (damaged.length === 0) return;
  await tx`
    delete from transcript_chunks c using unnest(${damaged}::text[]) as h (sha256)
    where c.project_id = ${projectId} and c.sha256 = decode(h.sha256, 'hex')`;
  await markDamaged(tx, projectId, damaged);
}

/** What can be had of its bytes. */
async function readRoot(
  tx: postgres.TransactionSql,
  projectId: number,
  root: string,
): Promise<{ whole: Buffer; isSpoilt: boolean }> {
  const [packed] = await tx<{ encoding: number; data: Buffer }[]>`
    select encoding, data from transcript_chunks
    where project_id = ${projectId} and sha256 = decode(${root}, 'hex') and data is not null`;
  if (!packed) return { whole: Buffer.alloc(0), isSpoilt: true };
  try {
    return { whole: await unpackChunk(packed), isSpoilt: false };
  } catch (error) {
    if (!(error instanceof SpoiltBytesError)) throw error;
    return { whole: await salvageChunk(packed), isSpoilt: true };
  }
}

export function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
