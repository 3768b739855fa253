/** A real server for one test file, with its own data on a free port. */
export interface TestServer {
  readonly url: string;
  readonly port: number;
  /** The current process, or the last one. */
  readonly pid: number;
  /** Ends the server and removes its data. */
  stop(): Promise<void>;
  /** SIGTERM, then a new start on the same port with the same data. */
  restart(): Promise<void>;
  /** SIGKILL; `start` starts it again. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** SIGSTOP: connections stay open without any response, until `resume`. */
  pause(): void;
  resume(): void;
}
