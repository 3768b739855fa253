import { text } from 'node:stream/consumers';
import { formatPasswordHash, hashSecret } from '@ssb/platform';

/** `echo -n password | node apps/gateway/dist/src/hash-password.js` prints a hash for USERS_FILE or BASIC_AUTH_PASSWORD_HASH. */
const password = (await text(process.stdin)).replace(/\r?\n$/, '');
if (password === '') {
  process.stderr.write(
    'Give the password on standard input. Arguments are not accepted, because other users can see them.\n',
  );
  process.exitCode = 2;
} else {
  process.stdout.write(`${formatPasswordHash(await hashSecret(password))}\n`);
}
