import type { DocumentStore } from '@ssb/documents';
import { Semaphore } from 'async-mutex';

/** Each transfer has a whole document in memory, of up to DOCUMENT_MAX_BYTES. */
const MAX_TRANSFERS = 2;

/** What the documents of all participants of the process share: the memory, and the room of the store. */
export class DocumentTransfers {
  private readonly slots = new Semaphore(MAX_TRANSFERS);
  /** Size of the smallest document that did not fit; undefined while the store is not known to be full. */
  private refusedBytes: number | undefined;

  /** @param maxBytes DOCUMENT_STORE_MAX_BYTES */
  constructor(private readonly maxBytes: number) {}

  isBusy(): boolean {
    return this.slots.isLocked();
  }

  /** Waits until fewer than MAX_TRANSFERS are running. */
  run<T>(transfer: () => Promise<T>): Promise<T> {
    return this.slots.runExclusive(transfer);
  }

  /** The store refused a document of this size. */
  noteFull(bytes: number): void {
    this.refusedBytes = Math.min(bytes, this.refusedBytes ?? bytes);
  }

  /** Asks the store only when it was full. @returns whether a document that did not fit would fit now */
  async hasRoom(usage: () => ReturnType<DocumentStore['usage']>): Promise<boolean> {
    if (this.refusedBytes === undefined) return true;
    const { bytes } = await usage();
    if (bytes + this.refusedBytes > this.maxBytes) return false;
    this.refusedBytes = undefined;
    return true;
  }
}
