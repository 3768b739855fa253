export const USAGE = `Manages the accounts of the token service, over the admin door of the running service.

usage: node apps/token/dist/accounts.js <verb> [options]

  create  --client-id <name> --scope '<ENTITY>|<PARTICIPANT_ID>|<PERMISSIONS>' [--scope …] [--bound]
          [--if-missing | --replace] [--client-secret-file <path> | --client-secret-stdin]
  list
  rotate  --client-id <name> [--grace <seconds>] [--client-secret-file <path> | --client-secret-stdin]
  disable --client-id <name>
  enable  --client-id <name>

Permissions are letters of C (create), R (read), U (update), D (delete).
Without a client secret of yours, one is made and shown this once.

  --bound                 bind the account's tokens to its client certificate (RFC 8705)
  --if-missing            change nothing when the account is there
  --replace               give an account that is there these scopes and a new secret;
                          one that is disabled stays disabled
  --grace <seconds>       how long the old secret stays good, at most 2678400 (31 days); 0 when omitted
  --client-secret-file    read the client's secret from a file
  --client-secret-stdin   read the client's secret from standard input
  --url <address>         the admin door; http://127.0.0.1:4006, or the port of ADMIN_PORT, when omitted
  --secret-file <path>    the secret that opens the admin door; that of ADMIN_SECRET_FILE when omitted
  --json                  answer in JSON
  --help                  show this

Exit status: 0 done, 1 refused or failed, 2 called in a wrong way.`;

/** The command was called in a way that it does not know. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
