import { type ScriptedServer, startScriptedServer } from '@ssb/testing';

export interface HeldRequest {
  readonly webhookId: string;
  readonly body: string;
  /** Subject of the event in the body. */
  readonly subject: string;
  /** Responds with 204. May be called more than once. */
  respond(): void;
}

/** A webhook receiver whose responses wait for the test. */
export class HeldReceiver {
  readonly requests: HeldRequest[] = [];
  /** True if further requests wait for `respond`. */
  holds = false;

  private constructor(private readonly server: ScriptedServer) {}

  static async start(): Promise<HeldReceiver> {
    const server = await startScriptedServer();
    const receiver = new HeldReceiver(server);
    server.respond = async ({ headers, body }) => {
      await receiver.receive(String(headers['webhook-id']), body);
      return { status: 204 };
    };
    return receiver;
  }

  get url(): string {
    return `${this.server.url}/events`;
  }

  /** Responds to all waiting requests, and to further ones at once. */
  release(): void {
    this.holds = false;
    for (const request of this.requests) request.respond();
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  /** Resolves when the request may get its response. */
  private async receive(webhookId: string, body: string): Promise<void> {
    const { subject } = JSON.parse(body) as { subject: string };
    await new Promise<void>((resolve) => {
      this.requests.push({ webhookId, body, subject, respond: resolve });
      if (!this.holds) resolve();
    });
  }
}
