import { NotAFileError, openTranscript } from '../archive/copy-transcript';
import { type Digest, FileDigest } from './file-digest';
import { readParts } from './read-parts';
import { changed, UploadFailure } from './upload-failure';

/** Of the first `bytes` bytes. @throws UploadFailure `final` where there is no such file; what the file system throws. */
export async function digestFile(path: string, bytes: number, signal?: AbortSignal): Promise<Digest> {
  try {
    const file = await openTranscript(path);
    try {
      const digest = new FileDigest();
      for await (const part of readParts(file, bytes, signal)) digest.add(part);
      return digest.digest();
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isGone = code === 'ENOENT' || code === 'ENOTDIR';
    if (isGone) throw new UploadFailure('final', 'the file was deleted before it was handed over');
    if (error instanceof NotAFileError) throw changed();
    throw error;
  }
}
