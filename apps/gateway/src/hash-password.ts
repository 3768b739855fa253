import { text } from 'node:stream/consumers';
import { formatPasswordHash, hashSecret, prepareCommand, standardError, standardOutput } from '@ssb/platform';

prepareCommand();

/** `echo -n password | node apps/gateway/dist/src/hash-password.js` prints a hash for USERS_FILE or BASIC_AUTH_PASSWORD_HASH. */
const password = (await text(process.stdin)).replace(/\r?\n$/, '');
if (password === '') {
  standardError.writeLine(
    'Give the password on standard input. Arguments are not accepted, because other users can see them.',
  );
  process.exitCode = 2;
} else {
  standardOutput.writeLine(formatPasswordHash(await hashSecret(password)));
}
