import type { GenerationFacts, MomentPosition, PlayTimeline } from "@dreamloop/client";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { clockTime, type TimeText } from "../../text/time-text.ts";

/** What the tree takes. */
export interface BranchTreeProps {
  /** The branches, oldest first. */
  readonly generations: readonly GenerationFacts[];
  /** The branch that is played. */
  readonly current: number;
  /** Pictures of the branches. */
  readonly timeline: PlayTimeline | undefined;
  /** What it says. */
  readonly text: TimeText;
  /** Continues a branch from its end. */
  readonly onTakeUp: (at: MomentPosition, name: string) => void;
}

/** One branch and how deep it lies in the tree. */
interface Row {
  readonly branch: GenerationFacts;
  readonly depth: number;
}

/** The branches in the order of a tree, each below the one it came from. */
export function branchRows(generations: readonly GenerationFacts[]): readonly Row[] {
  const known = new Set(generations.map(({ generation }) => generation));
  const childrenOf = new Map<number, GenerationFacts[]>();
  const roots: GenerationFacts[] = [];
  for (const branch of generations) {
    const parent = branch.from?.generation;
    if (parent === undefined || !known.has(parent) || branch.origin === "reset") roots.push(branch);
    else childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), branch]);
  }
  const rows: Row[] = [];
  const add = (branch: GenerationFacts, depth: number): void => {
    rows.push({ branch, depth });
    for (const child of childrenOf.get(branch.generation) ?? []) add(child, depth + 1);
  };
  for (const root of roots) add(root, 0);
  return rows;
}

/** The tree of branches: every way that was tried, with a name; one press continues it from its end. */
export function BranchTree({ generations, current, timeline, text, onTakeUp }: BranchTreeProps): ReactNode {
  const [names, setNames] = useState<ReadonlyMap<number, string>>(new Map());
  const nameOf = (generation: number): string => names.get(generation) ?? text.branch(generation);
  return (
    <ol className="branches" aria-label={text.branches}>
      {branchRows(generations).map(({ branch, depth }) => {
        const { generation, startSeconds, endSeconds, endStepIndex, keptFromStepIndex } = branch;
        const name = nameOf(generation);
        const isCurrent = generation === current;
        const end = { generation, stepIndex: endStepIndex };
        return (
          <li
            key={generation}
            className="branch"
            data-current={isCurrent}
            style={{ marginInlineStart: `${Math.min(depth, 6) * 22}px` }}
          >
            <BranchPicture timeline={timeline} end={end} />
            <span className="branch-words">
              <input
                className="branch-name"
                value={name}
                maxLength={40}
                aria-label={text.nameOf(text.branch(generation))}
                onChange={(event) => setNames(new Map(names).set(generation, event.target.value))}
              />
              <span className="branch-facts">
                {clockTime(startSeconds)} – {clockTime(endSeconds)}
                {isCurrent ? ` · ${text.playing}` : ""}
              </span>
            </span>
            <button
              type="button"
              className="button"
              disabled={isCurrent || keptFromStepIndex > endStepIndex}
              aria-label={text.goTo(name)}
              title={text.goTo(name)}
              onClick={() => onTakeUp(end, name)}
            >
              ↵
            </button>
          </li>
        );
      })}
    </ol>
  );
}

function BranchPicture(props: {
  readonly timeline: PlayTimeline | undefined;
  readonly end: MomentPosition;
}): ReactNode {
  const { timeline, end } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const picture = timeline?.thumbnails(end).at(-1);
  useEffect(() => {
    if (canvas.current === null || picture === undefined) return;
    canvas.current.width = picture.image.width;
    canvas.current.height = picture.image.height;
    canvas.current.getContext("2d")?.drawImage(picture.image, 0, 0);
  }, [picture]);
  return <canvas ref={canvas} className="branch-picture" aria-hidden="true" />;
}
