/** A piece of a file as it stands, secrets masked: for files of which no more could be read. */
import { createSecretScanner } from '../../../core/secrets/secret-scanner';

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
  const scanner = createSecretScanner();
  await scanner.push(bytes);
  const secrets = await scanner.end();
  const feed = bytes.subarray(from, most).lastIndexOf(LINE_FEED);
  const to = most < bytes.length && feed !== -1 ? from + feed + 1 : most;
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let at = from;
  for (const secret of secrets) {
    if (secret.to <= at || secret.from >= to) continue;
    parts.push(decoder.decode(bytes.subarray(at, Math.max(at, secret.from))), `[masked: ${secret.rule}]`);
    at = Math.min(to, secret.to);
  }
  parts.push(decoder.decode(bytes.subarray(at, to)));
  return { text: parts.join(''), to };
}
