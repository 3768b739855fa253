import { mkdir, open, readdir, readFile, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import {
  FolderInUseError,
  lockFolder,
  syncFolder,
  writeFileAtomically,
  type Unlock,
} from '@ssb/platform/files';
import type { EventIdentity, EventStore, KnownEvent } from './event-store.js';
import { DEFAULT_MAX_EVENTS, HandledEvents, type Horizons } from './handled-events.js';
import type { StoreOptions } from './memory-store.js';

/** The folder of a store cannot be used. The message says why, and what to do. */
export class StoreUnusableError extends Error {
  override readonly name = 'StoreUnusableError';

  constructor(
    readonly folder: string,
    problem: string,
    options?: ErrorOptions,
  ) {
    super(`The store ${folder} cannot be used: ${problem}`, options);
  }
}

const FILE = 'events.jsonl';
const LOCK = 'lock';
const FIRST_LINE = '{"store":"settlement-bus-downstream","version":1}';
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** Lines of removed and repeated entries that the file may have before it is written anew. */
const MIN_SURPLUS_LINES = 1_000;

/** One line of the file after the first. */
type Line =
  | EventIdentity
  | { readonly id: string; readonly signedAt: number }
  | { readonly subject: string; readonly sequence: string; readonly signedAt: number }
  | { readonly horizons: Horizons };

/**
 * Keeps events in a folder of one process: `save` resolves after the line of the event is on the disk. The file is bounded: it is written
 * anew, in one step, once it has twice as many lines as entries. An incomplete last line, as a crash leaves it, is removed. The lock sees
 * processes of one machine, or containers that share the folder on it; not those of a network drive. Windows is refused.
 */
export class FileStore implements EventStore {
  private readonly events: HandledEvents;
  private readonly path: string;
  private unlock: Unlock | undefined;
  private file: FileHandle | undefined;
  private lines = 0;
  /** Bytes of complete lines. */
  private size = 0;
  private last: Promise<unknown> = Promise.resolve();

  /** @param folder is created; only its owner may read it */
  constructor(
    readonly folder: string,
    { maxEvents = DEFAULT_MAX_EVENTS }: StoreOptions = {},
  ) {
    this.events = new HandledEvents(maxEvents);
    this.path = join(folder, FILE);
  }

  /** @throws StoreUnusableError */
  async open(): Promise<void> {
    if (process.platform === 'win32')
      throw new StoreUnusableError(
        this.folder,
        'its lock and its durability need Linux or macOS. Use another store on Windows.',
      );
    try {
      await mkdir(this.folder, { recursive: true, mode: FOLDER_MODE });
      // Inside the folder, which may be the root of a volume.
      this.unlock = await lockFolder(join(this.folder, LOCK));
      await this.removeDrafts();
      await this.load();
    } catch (error) {
      await this.close();
      throw this.toUnusable(error);
    }
  }

  find(event: EventIdentity): Promise<KnownEvent> {
    return Promise.resolve(this.events.find(event));
  }

  /** @throws StoreUnusableError after a failed write that could not be undone; the store must be opened again */
  save(event: EventIdentity): Promise<void> {
    const saved = this.last.then(() => this.append(event));
    this.last = saved.catch(() => undefined);
    return saved;
  }

  async close(): Promise<void> {
    await this.last;
    await this.file?.close();
    this.file = undefined;
    await this.unlock?.();
    this.unlock = undefined;
  }

  private toUnusable(cause: unknown): StoreUnusableError {
    if (cause instanceof StoreUnusableError) return cause;
    const problem =
      cause instanceof FolderInUseError
        ? 'another process uses it. Give each consumer a folder of its own, or stop that process.'
        : `${cause instanceof Error ? cause.message : String(cause)}. Choose a folder that this process may write.`;
    return new StoreUnusableError(this.folder, problem, { cause });
  }

  /** A crash leaves the draft of a file that was being written anew. */
  private async removeDrafts(): Promise<void> {
    const drafts = (await readdir(this.folder)).filter(
      (name) => name.startsWith(`${FILE}.`) && name.endsWith('.draft'),
    );
    for (const name of drafts) await rm(join(this.folder, name));
  }

  private async load(): Promise<void> {
    const text = await readFile(this.path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    const end = text.lastIndexOf('\n') + 1;
    const [first, ...lines] = text.slice(0, end).split('\n').slice(0, -1);
    if (first !== undefined && first !== FIRST_LINE)
      throw new StoreUnusableError(this.folder, `${FILE} is not the file of a store. Choose another folder.`);
    for (const [index, line] of lines.entries()) this.restore(line, index, lines.length);
    this.events.removeOldest();
    // Also removes an incomplete line.
    await this.rewrite();
  }

  private restore(text: string, index: number, count: number): void {
    const line = parseLine(text);
    // A crash can damage the last line, whose `save` did not resolve.
    if (line === undefined && index === count - 1) return;
    if (line === undefined)
      throw new StoreUnusableError(
        this.folder,
        `line ${index + 2} of ${FILE} is damaged. Restore the file from a backup, or remove it: then repeats of earlier events are handled again.`,
      );
    if ('horizons' in line) this.events.restore(line.horizons);
    else if ('signedat' in line) this.events.add(line);
    else if ('id' in line) this.events.addId(line.id, line.signedAt);
    else this.events.addSubject(line.subject, line.sequence, line.signedAt);
  }

  private async append({ id, subject, sequence, signedat }: EventIdentity): Promise<void> {
    const event = { id, subject, sequence, signedat };
    if (this.events.find(event).isHeld) return;
    const line = Buffer.from(`${JSON.stringify(event)}\n`);
    const { file } = this;
    if (file === undefined) throw new StoreUnusableError(this.folder, 'it is not open. Call open first.');
    try {
      await file.appendFile(line);
      await file.datasync();
    } catch (error) {
      await this.undo(file, error);
      throw error;
    }
    this.size += line.length;
    this.lines += 1;
    this.events.add(event);
    if (this.lines > 2 * this.events.size + MIN_SURPLUS_LINES) await this.rewrite();
  }

  /** A part of a line before the next one would damage the file. */
  private async undo(file: FileHandle, cause: unknown): Promise<void> {
    try {
      await file.truncate(this.size);
      await file.datasync();
    } catch {
      this.file = undefined;
      await file.close().catch(() => undefined);
      throw new StoreUnusableError(
        this.folder,
        'a write failed and could not be undone. Check the disk, then open the store again.',
        { cause },
      );
    }
  }

  private async rewrite(): Promise<void> {
    const lines = [FIRST_LINE, JSON.stringify({ horizons: this.events.horizons })];
    for (const entry of this.events.entries()) lines.push(JSON.stringify(entry));
    const content = Buffer.from(`${lines.join('\n')}\n`);
    await writeFileAtomically(this.path, content, FILE_MODE);
    // Lines that were appended to the replaced file would be lost.
    const former = this.file;
    this.file = undefined;
    try {
      await former?.close();
      await syncFolder(this.folder);
      this.file = await open(this.path, 'a', FILE_MODE);
    } catch (cause) {
      throw new StoreUnusableError(
        this.folder,
        'its file was written anew and could not be opened. Check the disk, then open the store again.',
        { cause },
      );
    }
    this.lines = lines.length;
    this.size = content.length;
  }
}

function parseLine(text: string): Line | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isLine(value) ? value : undefined;
}

const LINE_FORMS: readonly Readonly<Record<string, 'string' | 'number' | 'object'>>[] = [
  { id: 'string', subject: 'string', sequence: 'string', signedat: 'string' },
  { id: 'string', signedAt: 'number' },
  { subject: 'string', sequence: 'string', signedAt: 'number' },
  { horizons: 'object' },
];

function isLine(value: unknown): value is Line {
  if (typeof value !== 'object' || value === null) return false;
  const members = Object.entries(value);
  return LINE_FORMS.some(
    (form) =>
      members.length === Object.keys(form).length &&
      members.every(([name, member]) => typeof member === form[name] && member !== null),
  );
}
