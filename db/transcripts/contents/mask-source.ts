/** Mask the secrets in part of a file. */
import { findPlaces, maskRange } from '../../../core/secrets/mask-text';

export interface SourceAsked {
  /** Bytes of the part and its surroundings, so that secrets across its borders are found. */
  bytes: Uint8Array;
  /** The part's range in `bytes`. */
  from: number;
  to: number;
}

const LINE_FEED = 0x0a;

/** @returns the text and its end, at a line end where there is one */
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
