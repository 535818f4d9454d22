//! A network as a picture (SVG).

mod graph;
mod layout;

use crate::scenario::Scenario;
use graph::{Drawn, Graph, Shape};
use layout::Spot;
use std::fmt::Write;

/// Room around the last ring, for its labels.
const MARGIN: f64 = 150.0;

const STYLE: &str = "text{font:11px system-ui,sans-serif;fill:#222;paint-order:stroke;stroke:#fff;stroke-width:3px}\
.title{font-size:18px}line{stroke:#9aa5b1;stroke-width:1.5}.Router{fill:#2b6cb0}.Switch{fill:#2f855a}\
.Segment{fill:#cbd5e0}.Host{fill:#d69e2e}.Portal{fill:#c53030}";

/// The picture of a network, before any fault. Lines carry their link's name as `data-link`.
pub(crate) fn svg(scenario: &Scenario) -> String {
    let graph = Graph::of(scenario);
    let (spots, radius) = layout::spots(&graph);
    let half = (radius + MARGIN).round();
    let size = 2.0 * half;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{} {} {size} {size}\" width=\"{size}\" height=\"{size}\">\n<style>{STYLE}</style>\n",
        -half, -half
    );
    let _ = writeln!(
        text,
        "<text class=\"title\" x=\"{}\" y=\"{}\">{}</text>",
        20.0 - half,
        30.0 - half,
        escaped(&scenario.name)
    );
    for joint in &graph.joints {
        let [a, b] = joint.ends.map(|it| spots[it]);
        let _ = writeln!(
            text,
            "<line data-link=\"{name}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"><title>{name}\n{}</title></line>",
            a.x,
            a.y,
            b.x,
            b.y,
            escaped(&joint.detail),
            name = escaped(&joint.name),
        );
    }
    for (drawn, spot) in graph.nodes.iter().zip(&spots) {
        node(&mut text, drawn, *spot);
    }
    text + "</svg>\n"
}

fn node(text: &mut String, drawn: &Drawn, spot: Spot) {
    let (name, detail) = (escaped(&drawn.name), escaped(&drawn.detail));
    let size = match drawn.shape {
        Shape::Router | Shape::Switch => 7,
        Shape::Segment => 4,
        Shape::Host | Shape::Portal => 5,
    };
    let place = format!("translate({:.1} {:.1})", spot.x, spot.y);
    let mark = match drawn.shape {
        Shape::Switch | Shape::Host => {
            format!(
                "<rect x=\"{0}\" y=\"{0}\" width=\"{1}\" height=\"{1}\"/>",
                -size,
                2 * size
            )
        }
        _ => format!("<circle r=\"{size}\"/>"),
    };
    let _ = writeln!(
        text,
        "<g class=\"{:?}\" data-node=\"{name}\" transform=\"{place}\"><title>{name}\n{detail}</title>{mark}{}</g>",
        drawn.shape,
        label(&name, spot, size + 4)
    );
}

/// The name, pointing outwards and never upside down.
fn label(name: &str, spot: Spot, gap: i32) -> String {
    let is_left = (0.25..0.75).contains(&spot.turn) && spot.ring > 0;
    let (degrees, x, anchor) = match is_left {
        true => (spot.turn * 360.0 - 180.0, -gap, "end"),
        false => (spot.turn * 360.0, gap, "start"),
    };
    let degrees = if spot.ring == 0 { 0.0 } else { degrees };
    format!(
        "<text transform=\"rotate({degrees:.1})\" x=\"{x}\" y=\"4\" text-anchor=\"{anchor}\">{name}</text>"
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{Size, generate, network_named, networks, read};

    fn all() -> Vec<Scenario> {
        let named = networks()
            .iter()
            .map(|it| network_named(it.name).unwrap().scenario().unwrap());
        let sizes = [(12, 1), (70, 20), (90, 60)];
        let made = sizes.map(|(routers, hosts)| {
            let size = Size {
                routers,
                hosts,
                packets: 0,
            };
            read("made", &generate("made", size, 3)).unwrap()
        });
        named.chain(made).collect()
    }

    /// A character of the labels is about this wide.
    const LETTER: f64 = 6.5;

    #[test]
    fn labels_have_room_in_every_network() {
        for scenario in all() {
            let graph = Graph::of(&scenario);
            let (spots, _) = layout::spots(&graph);
            for (a, first) in spots.iter().enumerate() {
                let fits = graph.nodes[a].name.len() as f64 * LETTER < layout::RING;
                assert!(fits, "{} is longer than its room", graph.nodes[a].name);
                for second in &spots[a + 1..] {
                    let away = (first.x - second.x).hypot(first.y - second.y);
                    assert!(
                        away >= layout::LINE * 0.9,
                        "{}: {away} away from another in {}",
                        graph.nodes[a].name,
                        scenario.name
                    );
                }
            }
        }
    }

    #[test]
    fn everything_is_in_the_picture_once() {
        for scenario in all() {
            let picture = svg(&scenario);
            let nodes = scenario.routers.len()
                + scenario.switches.len()
                + scenario.hosts.len()
                + scenario.portals.len();
            let shared = Graph::of(&scenario)
                .nodes
                .iter()
                .filter(|it| it.shape == Shape::Segment)
                .count();
            assert_eq!(picture.matches("data-node=").count(), nodes + shared);
            for link in &scenario.links {
                assert_eq!(
                    picture
                        .matches(&format!("data-link=\"{}\"", link.name))
                        .count(),
                    1
                );
            }
            assert_eq!(picture.matches('<').count(), picture.matches('>').count());
        }
    }

    #[test]
    fn names_cannot_draw() {
        assert_eq!(
            escaped("<a href=\"x\">&"),
            "&lt;a href=&quot;x&quot;&gt;&amp;"
        );
    }
}
