import { ProblemException } from '@ssb/platform';
import { AccountTakenError, NoBindingError, NoSuchAccountError } from '../accounts/manage-accounts.js';

/** Passes the outcome on, and what managing accounts can refuse as the problem that the admin door answers. */
export async function asProblem<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw problemOf(error);
  }
}

function problemOf(error: unknown): unknown {
  if (error instanceof NoSuchAccountError) return new ProblemException(404, 'No such account', error.message);
  if (error instanceof AccountTakenError)
    return new ProblemException(
      409,
      'Account is there already',
      `${error.message}; ifThere may be keep or replace`,
    );
  if (error instanceof NoBindingError)
    return new ProblemException(422, 'Unprocessable content', error.message, {
      faults: [{ path: 'bound', message: error.message }],
    });
  return error;
}
