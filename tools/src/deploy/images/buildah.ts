import { runCommand } from '../../check/run-command.js';
import { CheckFailure } from '../check-failure.js';

const TIMEOUT_MS = 600_000;

/** Characters of output that a failure shows. */
const MAX_ERROR_OUTPUT = 4_000;

/** Runs a program to its end. @returns its standard output @throws CheckFailure */
export async function runProgram(program: string, args: readonly string[]): Promise<string> {
  const { ok, output, standardOutput } = await runCommand(program, args, { timeoutMs: TIMEOUT_MS });
  if (ok) return standardOutput;
  throw new CheckFailure(`${program} ${args.join(' ')} failed:\n${output.slice(-MAX_ERROR_OUTPUT)}`);
}

/** What `buildah inspect` reports of an image, as far as it is used. */
export interface ImageDescription {
  /** JSON of the image manifest. */
  readonly Manifest: string;
  readonly Docker: {
    readonly config: {
      readonly User: string;
      readonly Env: readonly string[];
      readonly WorkingDir: string;
      readonly Entrypoint: readonly string[] | null;
      readonly Cmd: readonly string[] | null;
      readonly Healthcheck?: { readonly Test: readonly string[] };
      readonly Labels: Readonly<Record<string, string>>;
    };
  };
}

/** Buildah with a storage folder of its own. */
export class Buildah {
  constructor(private readonly storage: string) {}

  run(...args: readonly string[]): Promise<string> {
    return runProgram('buildah', ['--root', this.storage, '--runroot', `${this.storage}.run`, ...args]);
  }

  async hasImage(name: string): Promise<boolean> {
    const names = await this.run('images', '--format', '{{.Name}}:{{.Tag}}');
    return names.split('\n').includes(name);
  }

  async inspect(image: string): Promise<ImageDescription> {
    return JSON.parse(await this.run('inspect', '--type', 'image', image)) as ImageDescription;
  }

  /** Removes containers, and every image that is not kept. */
  async clean(keep: readonly string[]): Promise<void> {
    await this.run('rm', '--all');
    const names = (await this.run('images', '--format', '{{.Name}}:{{.Tag}}')).split('\n');
    const unused = names.filter((name) => name !== '' && !name.startsWith('<none>') && !keep.includes(name));
    if (unused.length > 0) await this.run('rmi', ...unused);
    await this.run('rmi', '--prune');
  }
}
