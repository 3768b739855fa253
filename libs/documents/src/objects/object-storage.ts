/** An object without its content. */
export interface ListedObject {
  readonly key: string;
  readonly bytes: number;
}

/**
 * Named objects. Keys consist of letters, digits and `-._~/`. Every method rejects with DocumentStoreError when the storage fails. A repeat of
 * `put` or `remove` is harmless.
 */
export interface ObjectStorage {
  /** Stores or replaces an object durably before it resolves. */
  put(key: string, content: Uint8Array): Promise<void>;
  /** Undefined when there is no such object. */
  read(key: string): Promise<AsyncIterable<Uint8Array> | undefined>;
  remove(key: string): Promise<void>;
  /** @param prefix ends with a slash */
  list(prefix: string): AsyncIterable<ListedObject>;
  close(): Promise<void>;
}
