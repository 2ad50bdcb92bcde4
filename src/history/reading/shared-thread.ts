/** The thread that a call shares with other users' calls. */
export interface SharedThread {
  /** True while other users call, and for some seconds after. */
  readonly isShared: boolean;
  /** Called by long work every few milliseconds: pauses while other users' calls run. */
  readonly giveWay: () => Promise<void>;
}
