/** A real server for a test file, with data of its own on a free port, and what a test may do to it. */
export interface TestServer {
  readonly url: string;
  readonly port: number;
  /** The process that runs now, or ran last. */
  readonly pid: number;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
  /** SIGTERM, then up again on the same port with the same data. */
  restart(): Promise<void>;
  /** SIGKILL; `start` brings it back. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** SIGSTOP: its connections stay open and nothing is answered; `resume` ends it. */
  pause(): void;
  resume(): void;
}
