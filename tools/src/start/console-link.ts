import {
  createSignInLink,
  localOperator,
  renewSignInLink,
  signInAddress,
  SIGN_IN_LINK_LIFETIME_MS,
} from '@ssb/keys';
import { signInLinkFile } from '../provision/development-secrets.js';
import type { Ports } from '../system/processes.js';

const MINUTES = SIGN_IN_LINK_LIFETIME_MS / 60_000;

/** The one-time link with which the person who started the system opens its console. */
export class ConsoleLink {
  private constructor(
    private readonly file: string,
    private readonly url: string,
    private readonly token: string,
  ) {}

  static async create(folder: string, ports: Pick<Ports, 'api'>): Promise<ConsoleLink> {
    const file = signInLinkFile(folder);
    const token = await createSignInLink(file, localOperator(), new Date());
    return new ConsoleLink(file, `http://127.0.0.1:${ports.api}`, token);
  }

  /** For the beginning of the start. */
  get firstLine(): string {
    return `Console: ${signInAddress(this.url, this.token)}  (opens once, within ${MINUTES} minutes, when the api has started)`;
  }

  /** For a system that has started. The lifetime of an unused link begins now. */
  async renew(): Promise<string> {
    if (await renewSignInLink(this.file, this.token, new Date()))
      return `Console: ${signInAddress(this.url, this.token)}  (opens once, within ${MINUTES} minutes)`;
    return `Console: ${this.url}/  (npx busbridge console prints another link)`;
  }
}
