import { escapeLine } from '@ssb/net';
import { SettingsError } from '../settings/settings.js';
import type { StartFault } from './configuration-error.js';

/** Exit status for a wrong configuration (`EX_CONFIG` of sysexits.h): a restart does not help. */
export const EXIT_CONFIGURATION = 78;

/** Why an app cannot start, for its operator. */
export interface StartFailure {
  readonly exitStatus: number;
  /** Lines without indentation: a summary, then sentences. */
  readonly summary: string;
  readonly problems: readonly string[];
}

type Settings = Readonly<Record<string, unknown>>;

/** The sentences for an error that ends the start; undefined when the error is unexpected, which only its stack explains. */
export function describeStartFailure(error: unknown, settings: Settings = {}): StartFailure | undefined {
  if (error instanceof SettingsError) {
    const problems = [...error.problems, 'All settings are listed in docs/settings.md.'];
    return { exitStatus: EXIT_CONFIGURATION, summary: 'its settings are wrong', problems };
  }
  if (isStartFault(error)) {
    const problems = (error.problems ?? [error.message]).map((problem) =>
      withSettingName(endSentence(problem), error.path, settings),
    );
    return error.startFault === 'configuration' ? wrongConfiguration(problems) : unavailable(problems);
  }
  return error instanceof Error ? describeSystemError(error, settings) : undefined;
}

/** The lines that an app writes to its standard error. */
export function formatStartFailure(app: string, { summary, problems }: StartFailure): string {
  return [
    `${app} cannot start: ${summary}.`,
    ...problems.map((problem) => `  ${escapeLine(problem)}`),
    '',
  ].join('\n');
}

function isStartFault(error: unknown): error is StartFault {
  if (!(error instanceof Error) || !('startFault' in error)) return false;
  return error.startFault === 'configuration' || error.startFault === 'unavailable';
}

function wrongConfiguration(problems: readonly string[]): StartFailure {
  return { exitStatus: EXIT_CONFIGURATION, summary: 'its configuration is wrong', problems };
}

function unavailable(problems: readonly string[]): StartFailure {
  return { exitStatus: 1, summary: 'something that it needs is not available', problems };
}

interface SystemError extends NodeJS.ErrnoException {
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
}

function describeSystemError(error: SystemError, settings: Settings): StartFailure | undefined {
  const { code = '', syscall, path } = error;
  if (syscall === 'listen') return wrongConfiguration([describeListenError(error, settings)]);
  if (syscall === 'getaddrinfo' && findHostSetting(error.hostname, settings) !== undefined)
    return wrongConfiguration([describeUnknownHost(error.hostname, settings)]);
  if (syscall === 'connect' || syscall === 'getaddrinfo')
    return unavailable([`A connection failed: ${error.message}.`]);
  const reason = FILE_ERRORS[code];
  if (path === undefined || reason === undefined) return undefined;
  return wrongConfiguration([withSettingName(`${path} ${reason}.`, path, settings)]);
}

const FILE_ERRORS: Readonly<Record<string, string>> = {
  EACCES: 'may not be used by this user; change its owner or mode',
  EEXIST: 'is a file, but a folder is needed',
  EISDIR: 'is a folder, but a file is needed',
  ELOOP: 'has too many symbolic links',
  ENAMETOOLONG: 'is too long for a path',
  ENOENT: 'does not exist',
  ENOTDIR: 'is not in a folder: a part of the path is a file',
  EPERM: 'may not be used by this user; change its owner or mode',
  EROFS: 'is on a read-only file system',
};

function describeListenError({ code, port, address, message }: SystemError, settings: Settings): string {
  const setting = findPortSetting(port, settings);
  const place = `port ${port} of ${address}`;
  switch (code) {
    case 'EADDRINUSE':
      return `The ${place} is in use; stop the other process, or set ${setting} to another port.`;
    case 'EACCES':
      return `This user may not listen on ${place}; set ${setting} to a port above 1023.`;
    case 'EADDRNOTAVAIL':
      return describeUnknownHost(address, settings);
    default:
      return `The ${place} cannot be listened on: ${message}.`;
  }
}

/** The setting of a port. The management port may be derived from PORT. */
function findPortSetting(port: number | undefined, settings: Settings): string {
  const named = Object.keys(settings).find((name) => name.endsWith('PORT') && settings[name] === port);
  const isDerived = 'MANAGEMENT_PORT' in settings && settings['MANAGEMENT_PORT'] === undefined;
  return named ?? (isDerived ? 'MANAGEMENT_PORT' : 'PORT');
}

function findHostSetting(host: string | undefined, settings: Settings): string | undefined {
  return Object.keys(settings).find((name) => name.endsWith('HOST') && settings[name] === host);
}

function describeUnknownHost(host: string | undefined, settings: Settings): string {
  return `${findHostSetting(host, settings) ?? 'HOST'} is ${host}, which is not an address of this machine.`;
}

function endSentence(text: string): string {
  return `${text.replace(/\.+$/, '')}.`;
}

/** Puts the setting that names the path, or a folder above it, in front of a sentence that does not mention it. */
function withSettingName(sentence: string, path: string | undefined, settings: Settings): string {
  if (path === undefined) return sentence;
  const names = Object.keys(settings).filter((name) => {
    const value = settings[name];
    return typeof value === 'string' && value.length > 1 && isSameOrBelow(path, value);
  });
  return names.length === 0 || names.some((name) => sentence.includes(name))
    ? sentence
    : `${names.join(' or ')}: ${sentence}`;
}

/** A dot follows the name of a file that is being replaced. */
function isSameOrBelow(path: string, configured: string): boolean {
  const rest = path.startsWith(configured) ? path.slice(configured.length) : undefined;
  return rest === '' || rest?.startsWith('/') === true || rest?.startsWith('.') === true;
}
