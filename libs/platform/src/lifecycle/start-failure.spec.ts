import { SettingsError } from '../settings/settings.js';
import { ConfigurationError } from './configuration-error.js';
import { describeStartFailure, formatStartFailure } from './start-failure.js';

const settings = { PORT: 4021, HOST: '127.0.0.1', KEY_FILE: '/keys/origin', DATA_DIR: '/data' };

const systemError = (fields: object): Error => Object.assign(new Error('refused by the system'), fields);

describe('the failure of a start', () => {
  it('has the form of the settings errors', () => {
    const failure = describeStartFailure(new SettingsError(['PORT is not set.', 'HOST is not set.']));
    expect(failure && formatStartFailure('poller', failure)).toBe(
      'poller cannot start: its settings are wrong.\n  PORT is not set.\n  HOST is not set.\n' +
        '  All settings are listed in docs/settings.md.\n',
    );
  });

  it.each([
    [new ConfigurationError('Set one of A and B.'), 78, 'Set one of A and B.'],
    [
      systemError({ startFault: 'unavailable', message: 'The database cannot be used: no route' }),
      1,
      'The database cannot be used: no route.',
    ],
    [
      systemError({ syscall: 'listen', code: 'EADDRINUSE', port: 4021, address: '127.0.0.1' }),
      78,
      'The port 4021 of 127.0.0.1 is in use; stop the other process, or set PORT to another port.',
    ],
    [
      systemError({ syscall: 'listen', code: 'EADDRNOTAVAIL', port: 4021, address: '192.0.2.1' }),
      78,
      'HOST is 192.0.2.1, which is not an address of this machine.',
    ],
    [
      systemError({ syscall: 'open', code: 'ENOENT', path: '/keys/origin' }),
      78,
      'KEY_FILE: /keys/origin does not exist.',
    ],
    [
      systemError({ syscall: 'mkdir', code: 'EACCES', path: '/data/keys' }),
      78,
      'DATA_DIR: /data/keys may not be used by this user; change its owner or mode.',
    ],
    [systemError({ syscall: 'open', code: 'ENOENT', path: '/database' }), 78, '/database does not exist.'],
    [
      systemError({ syscall: 'connect', code: 'ECONNREFUSED' }),
      1,
      'A connection failed: refused by the system.',
    ],
  ])('%s ends with status %d', (error, exitStatus, problem) => {
    expect(describeStartFailure(error, settings)).toMatchObject({ exitStatus, problems: [problem] });
  });

  it.each([
    [new TypeError('x is not a function')],
    [systemError({ code: 'EMFILE', path: '/data' })],
    ['text'],
  ])('is unexpected for %s, so its stack is logged', (error) => {
    expect(describeStartFailure(error, settings)).toBeUndefined();
  });
});
