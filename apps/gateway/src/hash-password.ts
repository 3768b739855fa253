import { text } from 'node:stream/consumers';
import { hashSecret } from '@ssb/platform';
import { writePasswordHash } from './users/users-file.js';

/** `echo -n password | node apps/gateway/dist/src/hash-password.js`: prints the line for USERS_FILE or BASIC_AUTH_PASSWORD_HASH. */
const password = (await text(process.stdin)).replace(/\r?\n$/, '');
if (password === '') {
  process.stderr.write(
    'Give the password on standard input; it is not taken from the command line, which others can see.\n',
  );
  process.exitCode = 2;
} else {
  process.stdout.write(`${writePasswordHash(await hashSecret(password))}\n`);
}
