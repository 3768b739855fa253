/** A pause of one loop that another method can end. */
export class InterruptibleDelay {
  private end: () => void = () => undefined;

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.end = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Ends the current pause, if there is one. */
  interrupt(): void {
    this.end();
  }
}
