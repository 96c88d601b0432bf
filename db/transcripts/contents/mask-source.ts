/** A piece of a file as it stands, secrets masked: for files of which no more could be read. */
import { findPlaces, maskRange } from '../../../core/secrets/mask-text';

export interface SourceAsked {
  /** Bytes of the file, with what lies around the piece: a secret across its border must be seen whole. */
  bytes: Uint8Array;
  /** Where in them the piece begins and ends. */
  from: number;
  to: number;
}

const LINE_FEED = 0x0a;

/** @returns the text, and where it ends: with a line, where the piece holds the end of one */
export async function maskSource({
  bytes,
  from,
  to: most,
}: SourceAsked): Promise<{ text: string; to: number }> {
  const places = await findPlaces(bytes);
  const feed = bytes.subarray(from, most).lastIndexOf(LINE_FEED);
  const to = most < bytes.length && feed !== -1 ? from + feed + 1 : most;
  return { text: maskRange(bytes, places, from, to), to };
}
