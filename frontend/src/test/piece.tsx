import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { act, render, type RenderResult, screen } from "@testing-library/react";
import { type ReactElement, useState } from "react";

/** Shows one component by itself, where links and queries work; change puts another in its place. */
export async function piece(first: ReactElement): Promise<RenderResult & { change: (next: ReactElement) => void }> {
  let change: (next: ReactElement) => void = () => undefined;
  function Piece() {
    const [element, setElement] = useState(first);
    change = (next) => { act(() => { setElement(next); }); };
    return <div data-testid="piece">{element}</div>;
  }
  const root = createRootRoute({ component: Piece });
  const router = createRouter({ routeTree: root, history: createMemoryHistory({ initialEntries: ["/"] }) });
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const shown = render(
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  await screen.findByTestId("piece");
  return { ...shown, change: (next) => { change(next); } };
}
