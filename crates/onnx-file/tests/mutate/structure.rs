//! Mutations of what a file says, not of its bytes: still protobuf, but names, lists and types are wrong.
use super::Mutator;
use bytes::Bytes;
use prost::Message;
use tilewright_onnx_file::proto::*;
use tilewright_tensor::proto::TensorProto;

impl Mutator {
    /// Changes one to four things of a model.
    pub(super) fn restructure(&mut self, file: &Bytes) -> Vec<u8> {
        let mut model = ModelProto::decode(file.clone()).expect("seeds decode");
        for _ in 0..=self.below(4) {
            self.change_model(&mut model);
        }
        model.encode_to_vec()
    }

    fn change_model(&mut self, model: &mut ModelProto) {
        match self.below(12) {
            0 => model.ir_version = self.number(),
            1 => self.shuffle(&mut model.functions),
            2 => {
                let domain = ["", "ai.onnx", "ai.onnx.ml", "my", "elsewhere"][self.below(5)].to_owned();
                model.opset_import.push(OperatorSetIdProto { domain, version: self.number() });
            }
            3 => self.each(&mut model.functions, Self::change_function),
            _ => {
                let mut graph = GraphProto::decode(model.graph.take().unwrap_or_default()).unwrap_or_default();
                self.change_graph(&mut graph);
                model.graph = Some(graph.encode_to_vec().into());
            }
        }
    }

    fn change_function(&mut self, function: &mut FunctionProto) {
        match self.below(4) {
            0 => self.shuffle(&mut function.node),
            1 => self.shuffle(&mut function.input),
            2 => self.shuffle(&mut function.opset_import),
            _ => self.each(&mut function.node, Self::change_node),
        }
    }

    fn change_graph(&mut self, graph: &mut GraphProto) {
        match self.below(9) {
            0 => self.shuffle(&mut graph.node),
            1 => self.shuffle(&mut graph.initializer),
            2 => self.shuffle(&mut graph.input),
            3 => self.shuffle(&mut graph.output),
            4 => self.each(&mut graph.initializer, Self::change_tensor),
            5 => self.each(&mut graph.value_info, Self::change_value),
            _ => self.each(&mut graph.node, Self::change_node),
        }
    }

    fn change_node(&mut self, node: &mut NodeProto) {
        match self.below(8) {
            0 => self.shuffle(&mut node.input),
            1 => self.shuffle(&mut node.output),
            2 => std::mem::swap(&mut node.input, &mut node.output),
            3 => node.input.extend(node.output.clone()),
            4 => node.op_type.clear(),
            5 => self.shuffle(&mut node.attribute),
            _ => self.each(&mut node.attribute, Self::change_attribute),
        }
    }

    fn change_attribute(&mut self, attribute: &mut AttributeProto) {
        match self.below(6) {
            0 => attribute.r#type = Some(self.below(20) as i32 - 2),
            1 => attribute.i = self.number(),
            2 => attribute.ref_attr_name = "alpha".into(),
            3 => attribute.name.clear(),
            4 => attribute.g = attribute.g.take().map(|graph| self.within(graph, Self::change_graph)),
            _ => attribute.t = attribute.t.take().map(|tensor| self.within(tensor, Self::change_tensor)),
        }
    }

    fn change_tensor(&mut self, tensor: &mut TensorProto) {
        match self.below(5) {
            0 => tensor.dims.push(self.number().unwrap_or(0)),
            1 => tensor.data_type = Some(self.below(32) as i32 - 1),
            2 => tensor.data_location = Some(self.below(3) as i32),
            3 => tensor.int64_data = vec![self.number().unwrap_or(0); self.below(9)],
            _ => tensor.raw_data = None,
        }
    }

    fn change_value(&mut self, value: &mut ValueInfoProto) {
        let dim = DimensionProto { value: self.number().map(DimensionValue::Value) };
        let shape = Some(TensorShapeProto { dim: vec![dim; self.below(80)] });
        let tensor = TensorTypeProto { elem_type: self.below(32) as i32 - 1, shape };
        value.r#type = Some(TypeProto { value: Some(TypeValue::Tensor(tensor)) });
    }

    /// Numbers where arithmetic goes wrong.
    fn number(&mut self) -> Option<i64> {
        let numbers = [0, 1, -1, 17, 99, i64::MIN, i64::MAX, 1 << 31, 1 << 40, 1 << 62];
        numbers.get(self.below(numbers.len() + 1)).copied()
    }

    /// Swaps, repeats or drops an entry of a list.
    fn shuffle<T: Clone>(&mut self, list: &mut Vec<T>) {
        if list.is_empty() {
            return;
        }
        let (a, b) = (self.below(list.len()), self.below(list.len()));
        match self.below(4) {
            0 => drop(list.remove(a)),
            1 => list.push(list[a].clone()),
            2 => list[a] = list[b].clone(),
            _ => list.swap(a, b),
        }
    }

    /// Changes one of a list of encoded messages.
    fn each<M: Message + Default>(&mut self, list: &mut [Bytes], change: impl Fn(&mut Self, &mut M)) {
        if !list.is_empty() {
            let at = self.below(list.len());
            list[at] = self.within(std::mem::take(&mut list[at]), change);
        }
    }

    fn within<M: Message + Default>(&mut self, encoded: Bytes, change: impl Fn(&mut Self, &mut M)) -> Bytes {
        let mut message = M::decode(encoded).unwrap_or_default();
        change(self, &mut message);
        message.encode_to_vec().into()
    }
}
