export interface ObjectStore {
  /** Resolves when the object survives a crash. */
  put(address: string, data: Buffer): Promise<void>;
  /** Null: there is no such object. Every other failure throws. */
  get(address: string): Promise<Buffer | null>;
  remove(address: string): Promise<void>;
}

export interface ArchiveStoreSettings {
  /** Place of new chunks, without a slash at the end; null: PostgreSQL. */
  address: string | null;
  endpoint: string | null;
  region: string | null;
  pathStyle: boolean;
}
