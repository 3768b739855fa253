/** An object without its content. */
export interface ListedObject {
  readonly key: string;
  readonly bytes: number;
}

/**
 * Named objects. Keys consist of letters, digits and `-._~/`. Every method rejects with DocumentStoreError when the storage fails, also when
 * the folder or bucket does not exist. A repeat of `put` or `remove` is harmless.
 */
export interface ObjectStorage {
  /** Stores or replaces an object durably before it resolves. */
  put(key: string, content: Uint8Array): Promise<void>;
  /** A small object as a whole. Undefined when there is no such object. */
  read(key: string): Promise<Buffer | undefined>;
  /** Opens an object with the first part that is read, and throws DocumentStoreError when there is none. */
  open(key: string): AsyncIterable<Uint8Array>;
  /** False when there was no such object. An S3-compatible storage does not say so. */
  remove(key: string): Promise<boolean>;
  /** @param prefix ends with a slash */
  list(prefix: string): AsyncIterable<ListedObject>;
  /** Removes what interrupted writes and removed objects left behind. */
  tidy(): Promise<void>;
  close(): Promise<void>;
}
