import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { ArchiveStoreSettings, ObjectStore } from './object-store';

/** All tries of one request. */
const TIMEOUT_MS = 20_000;

/** Credentials come from the client's standard sources, such as AWS_ACCESS_KEY_ID. */
export function createS3Store({ endpoint, region, pathStyle }: ArchiveStoreSettings): ObjectStore {
  const client = new S3Client({
    ...(endpoint !== null && { endpoint }),
    ...(region !== null && { region }),
    forcePathStyle: pathStyle,
    // Many S3-compatible servers do not know the checksums that the client adds by default. Chunks have their own hash.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 3_000 },
  });
  const limit = () => ({ abortSignal: AbortSignal.timeout(TIMEOUT_MS) });
  return {
    async put(address, data) {
      await client.send(new PutObjectCommand({ ...placeOf(address), Body: data }), limit());
    },
    async get(address) {
      try {
        const { Body } = await client.send(new GetObjectCommand(placeOf(address)), limit());
        return Buffer.from((await Body?.transformToByteArray()) ?? []);
      } catch (error) {
        // A missing bucket has another name.
        if ((error as { name?: unknown }).name === 'NoSuchKey') return null;
        throw error;
      }
    },
    async remove(address) {
      await client.send(new DeleteObjectCommand(placeOf(address)), limit());
    },
  };
}

function placeOf(address: string): { Bucket: string; Key: string } {
  const { host, pathname } = new URL(address);
  return { Bucket: host, Key: pathname.slice(1) };
}
