//! The example programs, in the binary.

/// An example.
pub struct Example {
    /// Its name.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

macro_rules! examples {
    ($($name:literal)*) => {
        /// All of them.
        pub static EXAMPLES: &[Example] = &[$(Example {
            name: $name,
            text: include_str!(concat!("../../../examples/", $name, ".crafty")),
        }),*];
    };
}

examples! {
    "arp_ping" "balanced_path" "dns_query" "far_ping" "far_serve" "http_get" "jitter" "loss" "mtu_black_hole" "office_rtt" "path_mtu" "ping" "ping6"
    "port_check" "tcp_hops" "tls_certificate" "traceroute" "udp_client" "udp_server"
}

impl Example {
    /// What it does: its first comment, or its name in words.
    pub fn about(&self) -> String {
        let lines = self.text.lines();
        let comment = lines.skip_while(|line| !line.starts_with("# "));
        let comment = comment.take_while(|line| line.starts_with("# "));
        let words: Vec<&str> = comment.map(|line| line.trim_start_matches("# ")).collect();
        match words.is_empty() {
            true => self.name.replace('_', " "),
            false => words.join(" "),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_of_the_folder_is_here() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
        let files = std::fs::read_dir(folder).expect("the examples");
        let mut names: Vec<String> = files
            .filter_map(|file| {
                let name = file.ok()?.file_name().into_string().ok()?;
                name.strip_suffix(".crafty").map(String::from)
            })
            .collect();
        names.sort();
        let known: Vec<&str> = EXAMPLES.iter().map(|example| example.name).collect();
        assert_eq!(names, known);
        assert!(EXAMPLES.iter().all(|example| !example.about().is_empty()));
    }
}
