/** The process was interrupted while a resource started. The resource has been released. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';

  constructor() {
    super('interrupted while starting');
  }
}

type Release = () => Promise<void> | void | undefined;

/** The resources that a process has started and must release when it ends. */
export class ResourceStack {
  private readonly releases: Release[] = [];
  private releasing: Promise<void> | undefined;

  get released(): boolean {
    return this.releasing !== undefined;
  }

  /**
   * Adds the release function of a resource that has just started.
   * @throws InterruptedError if the stack was released meanwhile; the new resource is then released at once
   */
  async defer(release: Release): Promise<void> {
    if (this.released) {
      await release();
      throw new InterruptedError();
    }
    this.releases.push(release);
  }

  /** Releases all resources once, in reverse order, also after a failure. @throws AggregateError of the failures */
  release(): Promise<void> {
    return (this.releasing ??= this.releaseAll());
  }

  private async releaseAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const release of this.releases.splice(0).reverse()) {
      try {
        await release();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'not everything could be released');
  }
}
