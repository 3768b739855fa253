import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { LaunchedProcess } from '../../lifecycle/launched-process.js';
import { CheckFailure } from '../deploy-check.js';

/** The configuration of an image, as far as it is used. */
export interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly WorkingDir: string;
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[] | null;
  readonly Healthcheck?: { readonly Test: readonly string[] };
  readonly Labels: Readonly<Record<string, string>>;
}

/** An image whose files can be read in a folder. */
export interface MountedImage {
  readonly root: string;
  readonly config: ImageConfig;
}

/** A file or folder of this machine that a container sees at the same path. */
export interface Mount {
  readonly path: string;
  readonly writable: boolean;
}

export interface ContainerOptions {
  /** Default: those of the image. */
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly mounts?: readonly Mount[];
  readonly stdio?: StdioOptions;
}

/** Root file system, user, folder, mounts (`ro:<path>` or `rw:<path>`), `--`, command. The command replaces the shell as process 1. */
const SCRIPT = `set -e
root=$1 user=$2 folder=$3
shift 3
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/tmp"
while [ "$1" != -- ]; do
  path=\${1#*:}
  if [ -d "$path" ]; then mkdir -p "$root$path"; else mkdir -p "$root\${path%/*}"; touch "$root$path"; fi
  mount --bind "$path" "$root$path"
  case $1 in ro:*) mount -o remount,bind,ro "$root$path" ;; esac
  shift
done
shift
mount -o remount,bind,ro "$root"
exec chroot --userspec="$user" "$root" env -C "$folder" "$@"`;

/** Starts a command as process 1 on the read-only root file system of an image. Its mounts end with it. */
export function startContainer({ root, config }: MountedImage, options: ContainerOptions): LaunchedProcess {
  const { args, environment = {}, mounts = [], stdio = ['ignore', 'pipe', 'pipe'] } = options;
  const imageEnvironment = config.Env.map((line): [string, string] => {
    const [name = '', ...value] = line.split('=');
    return [name, value.join('=')];
  });
  const child = spawn(
    'unshare',
    [
      ...['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', SCRIPT, 'sh'],
      ...[root, config.User, config.WorkingDir],
      ...mounts.map(({ path, writable }) => `${writable ? 'rw' : 'ro'}:${path}`),
      '--',
      ...(args ?? [...config.Entrypoint, ...(config.Cmd ?? [])]),
    ],
    { env: { ...Object.fromEntries(imageEnvironment), ...environment }, stdio },
  );
  return { child, kill: (signal) => signalProcessOne(child, signal) };
}

/** `unshare` itself blocks signals. Its only child is process 1 of the container. */
function signalProcessOne({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  const [processOne] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  if (processOne) process.kill(Number(processOne), signal);
}

/** Runs a command in an image to its end. @returns its output @throws CheckFailure */
export async function runInContainer(
  image: MountedImage,
  options: ContainerOptions & { readonly args: readonly string[] },
): Promise<string> {
  const { child } = startContainer(image, options);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (code !== 0)
    throw new CheckFailure(
      `In its image, "${options.args.join(' ')}" ended with ${code ?? signal}:\n${output}`,
    );
  return output;
}

/** User and group of the images. */
const USER = 1000;

/**
 * Mounts the files and folders that settings name: an existing file read-only, and a folder, or the folder of a file that the app
 * creates, writable. Those in `ownedFolder` get the user of the images as their owner.
 */
export function mountSettings(
  environment: Readonly<Record<string, string>>,
  ownedFolder: string,
): readonly Mount[] {
  const mounts = new Map<string, Mount>();
  for (const [name, value] of Object.entries(environment)) {
    if (!value.startsWith('/')) continue;
    const isFile = statSync(value, { throwIfNoEntry: false })?.isFile() === true;
    const path = isFile || name.endsWith('_DIR') ? value : dirname(value);
    if (!isFile) mkdirSync(path, { recursive: true, mode: 0o700 });
    if (path.startsWith(ownedFolder)) chownSync(path, USER, USER);
    mounts.set(path, { path, writable: !isFile });
  }
  return [...mounts.values()];
}
